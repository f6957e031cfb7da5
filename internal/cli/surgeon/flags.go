package surgeon

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// Set sets a flag. For a bad value it returns an error that says what to write.
func (f *Flags) Set(flag string, words ...string) error {
	set, known := f.table()[flag]
	if !known {
		return fmt.Errorf("unknown surgeon flag %s", flag)
	}
	f.given = append(f.given, flag)
	return set(words)
}

// Feed returns the inputs for --force-fallback-shape-inference, so that a script can set them.
func (f *Flags) Feed() *inputflags.Flags { return &f.feed }

// table returns the functions that apply the flags.
func (f *Flags) table() map[string]func(words []string) error {
	return map[string]func(words []string) error{
		"--external-data-dir":    arguments.Text(&f.folder),
		"--ignore-external-data": arguments.Set(&f.ignore),
		"--shape-inference":      arguments.Set(&f.infer),
		// In Polygraphy, this flag turns off ONNX Runtime's script for symbolic shape inference. It has
		// no effect here, where the script is never used.
		"--no-onnxruntime-shape-inference": func([]string) error { return nil },
		"--no-shape-inference":             arguments.Set(&f.noInfer),
		"--fp-to-fp16":                     arguments.Set(&f.isHalf),
		"--keep-nodes":                     arguments.Texts(&f.half.Keep),
		"--keep-ops":                       arguments.Texts(&f.half.KeepOps),
		"--save-external-data": func(words []string) error {
			f.isExternal = true
			if len(words) > 0 {
				f.external.File = words[0]
			}
			return nil
		},
		"--external-data-size-threshold": func(words []string) error {
			n, err := values.Size(words[0])
			f.external.Threshold = max(n, 1) // zero would mean the default
			return err
		},
		"--no-save-all-tensors-to-one-file": arguments.Set(&f.external.Each),

		"--override-inputs": func(words []string) error {
			f.shapes = map[string][]loaders.Dim{}
			for _, word := range words {
				name, shape, found := cutLast(word)
				list, err := dims(shape)
				if err != nil || !found || name == "" {
					return errors.Join(fmt.Errorf("%q is not INPUT:[SIZE,...]", word), err)
				}
				f.shapes[name] = list
			}
			return nil
		},
		"--fold-constants": arguments.Set(&f.fold),
		"--no-fold-shapes": arguments.Set(&f.folding.KeepShapes),
		"--fold-size-threshold": func(words []string) error {
			n, err := values.Size(words[0])
			f.folding.Largest = &n
			return err
		},
		"--no-per-pass-shape-inference": arguments.Set(&f.folding.InferOnce),
		// The value has no effect: nodes that cannot be computed are always found by halving.
		"--partitioning": func(words []string) error {
			return values.Choice(words[0], "basic", "recursive")
		},
		"--force-fallback-shape-inference": arguments.Set(&f.observe),
		"--model-input-shapes":             f.input("--input-shapes"),
		"--load-inputs":                    f.input("--load-inputs"),
		"--val-range":                      f.input("--val-range"),
		"--iterations":                     f.input("--iterations"),
		"--data-loader-backend-module":     f.input("--data-loader-backend-module"),
		"--set-unbounded-dds-upper-bound": func(words []string) error {
			f.bounds = map[string]int64{}
			for _, word := range words {
				name, text, named := cutLast(word)
				if !named {
					name, text = "", word
				}
				most, err := strconv.ParseInt(text, 10, 64)
				if err != nil || most < 1 {
					return fmt.Errorf("%q is not [TENSOR:]N with a whole number above 0", word)
				}
				f.bounds[name] = most
			}
			return nil
		},
		"--num-passes": func(words []string) (err error) {
			f.folding.Passes, err = values.Count(words[0], 1)
			return err
		},
		"--cleanup":         arguments.Set(&f.cleanup),
		"--toposort":        arguments.Set(&f.toposort),
		"--inputs":          arguments.Texts(&f.inputs),
		"--outputs":         arguments.Texts(&f.outputs),
		"--exclude-outputs": arguments.Texts(&f.marks.Except),
		"--outputs-by-type": arguments.Texts(&f.marks.Ops),
		"--op":              arguments.Text(&f.node.Op),
		"--name":            arguments.Text(&f.node.Name),
		"--attrs": func(words []string) error {
			for _, word := range words {
				name, value, found := strings.Cut(word, "=")
				if !found || name == "" {
					return fmt.Errorf("%q is not NAME=VALUE", word)
				}
				parsed, err := attribute(value)
				if err != nil {
					return fmt.Errorf("%s: %w", word, err)
				}
				f.node.Attributes = append(f.node.Attributes, edit.NodeAttribute{Name: name, Value: parsed})
			}
			return nil
		},
		"--exclude-list": arguments.Text(&f.exclude),
		"--channels": func(words []string) error {
			part, err := strconv.ParseFloat(words[0], 64)
			if err != nil || !(part > 0 && part <= 1) {
				return fmt.Errorf("%q is not a fraction of the channels: want a number above 0, at most 1",
					words[0])
			}
			f.pruning.Channels = part
			return nil
		},
		"--seed": func(words []string) (err error) {
			if f.seed, err = strconv.ParseInt(words[0], 10, 64); err != nil {
				return fmt.Errorf("%q is not an integer", words[0])
			}
			return f.feed.Set("--seed", words...)
		},
	}
}

// input returns a function that sets a flag about the inputs on which the model runs to observe
// shapes.
func (f *Flags) input(name string) func([]string) error {
	return func(words []string) error { return f.feed.Set(name, words...) }
}

// dims parses a shape. Its dimensions are sizes or, if they are dynamic, symbols or -1.
func dims(text string) ([]loaders.Dim, error) {
	inside, opened := strings.CutPrefix(text, "[")
	inside, closed := strings.CutSuffix(inside, "]")
	if !opened || !closed {
		return nil, fmt.Errorf("%q is not a shape: write [1,3,224,224]", text)
	}
	var list []loaders.Dim
	if strings.TrimSpace(inside) == "" {
		return []loaders.Dim{}, nil
	}
	for _, word := range strings.Split(inside, ",") {
		word = strings.Trim(strings.TrimSpace(word), `"'`)
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && n >= 0:
			list = append(list, loaders.Dim{Size: n})
		case err == nil || word == "?" || word == "None":
			list = append(list, loaders.Dim{Size: -1})
		case word == "":
			return nil, fmt.Errorf("%q has an empty dimension", text)
		default:
			list = append(list, loaders.Dim{Size: -1, Symbol: word})
		}
	}
	return list, nil
}

// attribute parses the value of an attribute. A number with a decimal point is a float, quoted text
// is a string, and brackets enclose a list whose elements all have one type.
func attribute(value string) (any, error) {
	inside, isList := strings.CutPrefix(value, "[")
	if !isList {
		return scalar(value), nil
	}
	inside, closed := strings.CutSuffix(inside, "]")
	if !closed {
		return nil, errors.New("the list has no closing bracket: write [0,1]")
	}
	var integers []int64
	var floats []float32
	var texts []string
	for _, word := range strings.Split(inside, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		switch v := scalar(word).(type) {
		case int64:
			integers = append(integers, v)
			floats = append(floats, float32(v))
		case float32:
			floats = append(floats, v)
		case string:
			texts = append(texts, v)
		}
	}
	switch {
	case len(texts) > 0 && len(floats) > 0:
		return nil, errors.New("a list must contain only numbers or only strings")
	case len(texts) > 0:
		return texts, nil
	case len(floats) > len(integers):
		return floats, nil
	}
	return integers, nil
}

func scalar(word string) any {
	if n := len(word); n >= 2 && (word[0] == '"' || word[0] == '\'') && word[n-1] == word[0] {
		return word[1 : n-1]
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return i
	}
	if v, err := strconv.ParseFloat(word, 32); err == nil {
		return float32(v)
	}
	return word
}
