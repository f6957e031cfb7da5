package surgeon

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// Set sets a flag. For a bad value it returns an error that says what to write.
func (f *Flags) Set(flag string, words ...string) error {
	set, known := table[flag]
	if !known {
		return fmt.Errorf("unknown surgeon flag %s", flag)
	}
	f.given = append(f.given, flag)
	return set(f, words)
}

// Feed returns the inputs for --force-fallback-shape-inference, so that a script can set them.
func (f *Flags) Feed() *inputflags.Flags { return &f.feed }

// table maps flags to the functions that set them.
var table = map[string]func(f *Flags, words []string) error{
	"--external-data-dir":    text(func(f *Flags) *string { return &f.folder }),
	"--ignore-external-data": on(func(f *Flags) *bool { return &f.ignore }),
	"--shape-inference":      on(func(f *Flags) *bool { return &f.infer }),
	// In Polygraphy, this flag turns off ONNX Runtime's script for symbolic shape inference. It has no
	// effect here, where the script is never used.
	"--no-onnxruntime-shape-inference": func(*Flags, []string) error { return nil },
	"--no-shape-inference":             on(func(f *Flags) *bool { return &f.noInfer }),
	"--fp-to-fp16":                     on(func(f *Flags) *bool { return &f.isHalf }),
	"--keep-nodes":                     list(func(f *Flags) *[]string { return &f.half.Keep }),
	"--keep-ops":                       list(func(f *Flags) *[]string { return &f.half.KeepOps }),
	"--save-external-data": func(f *Flags, words []string) error {
		f.isExternal = true
		if len(words) > 0 {
			f.external.File = words[0]
		}
		return nil
	},
	"--external-data-size-threshold": func(f *Flags, words []string) error {
		n, err := values.Size(words[0])
		f.external.Threshold = max(n, 1) // zero would mean the default
		return err
	},
	"--no-save-all-tensors-to-one-file": on(func(f *Flags) *bool { return &f.external.Each }),

	"--override-inputs": func(f *Flags, words []string) error {
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
	"--fold-constants": on(func(f *Flags) *bool { return &f.fold }),
	"--no-fold-shapes": on(func(f *Flags) *bool { return &f.folding.KeepShapes }),
	"--fold-size-threshold": func(f *Flags, words []string) error {
		n, err := values.Size(words[0])
		f.folding.Largest = &n
		return err
	},
	"--no-per-pass-shape-inference": on(func(f *Flags) *bool { return &f.folding.InferOnce }),
	// The value has no effect: nodes that cannot be computed are always found by halving.
	"--partitioning": func(_ *Flags, words []string) error {
		return values.Choice(words[0], "basic", "recursive")
	},
	"--force-fallback-shape-inference": on(func(f *Flags) *bool { return &f.observe }),
	"--model-input-shapes":             input("--input-shapes"),
	"--load-inputs":                    input("--load-inputs"),
	"--val-range":                      input("--val-range"),
	"--iterations":                     input("--iterations"),
	"--data-loader-backend-module":     input("--data-loader-backend-module"),
	"--set-unbounded-dds-upper-bound": func(f *Flags, words []string) error {
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
	"--num-passes": func(f *Flags, words []string) (err error) {
		f.folding.Passes, err = values.Count(words[0], 1)
		return err
	},
	"--cleanup":         on(func(f *Flags) *bool { return &f.cleanup }),
	"--toposort":        on(func(f *Flags) *bool { return &f.toposort }),
	"--inputs":          list(func(f *Flags) *[]string { return &f.inputs }),
	"--outputs":         list(func(f *Flags) *[]string { return &f.outputs }),
	"--exclude-outputs": list(func(f *Flags) *[]string { return &f.marks.Except }),
	"--outputs-by-type": list(func(f *Flags) *[]string { return &f.marks.Ops }),
	"--op":              text(func(f *Flags) *string { return &f.node.Op }),
	"--name":            text(func(f *Flags) *string { return &f.node.Name }),
	"--attrs": func(f *Flags, words []string) error {
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
	"--exclude-list": text(func(f *Flags) *string { return &f.exclude }),
	"--channels": func(f *Flags, words []string) error {
		part, err := strconv.ParseFloat(words[0], 64)
		if err != nil || !(part > 0 && part <= 1) {
			return fmt.Errorf("%q is not a fraction of the channels: want a number above 0, at most 1",
				words[0])
		}
		f.pruning.Channels = part
		return nil
	},
	"--seed": func(f *Flags, words []string) (err error) {
		if f.seed, err = strconv.ParseInt(words[0], 10, 64); err != nil {
			return fmt.Errorf("%q is not an integer", words[0])
		}
		return f.feed.Set("--seed", words...)
	},
}

// input returns a function that sets a flag about the inputs on which the model runs to observe
// shapes.
func input(name string) func(*Flags, []string) error {
	return func(f *Flags, words []string) error { return f.feed.Set(name, words...) }
}

func text(of func(*Flags) *string) func(*Flags, []string) error {
	return func(f *Flags, words []string) error { *of(f) = words[0]; return nil }
}

func on(of func(*Flags) *bool) func(*Flags, []string) error {
	return func(f *Flags, _ []string) error { *of(f) = true; return nil }
}

func list(of func(*Flags) *[]string) func(*Flags, []string) error {
	return func(f *Flags, words []string) error { *of(f) = append(*of(f), words...); return nil }
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
