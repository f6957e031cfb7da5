package surgeon

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

func (f *Flags) flag(usage string, apply func(words []string) error) arguments.Flag {
	return arguments.Spelled(usage, apply).Noted(&f.given)
}

// Reading returns the flags about reading and converting a model.
func (f *Flags) Reading() []arguments.Flag {
	return append([]arguments.Flag{
		f.flag("--external-data-dir, --load-external-data, --ext DIR",
			arguments.Text(&f.folder)).On(files.Reads),
		f.flag("--ignore-external-data", arguments.Set(&f.ignore)),
		f.flag("--shape-inference, --do-shape-inference", arguments.Set(&f.infer)),
		// In Polygraphy, this flag turns off ONNX Runtime's script for symbolic shape inference. It has
		// no effect in modelparity, which never uses the script.
		f.flag("--no-onnxruntime-shape-inference", func([]string) error { return nil }),
		f.flag("--fp-to-fp16", arguments.Set(&f.isHalf)),
	}, arguments.Needing([]string{"--fp-to-fp16"},
		f.flag("--keep-nodes NAME ...", arguments.Texts(&f.half.Keep)),
		f.flag("--keep-ops OPERATOR ...", arguments.Texts(&f.half.KeepOps)))...)
}

// Editing returns the flags about reading, converting and writing a model.
func (f *Flags) Editing() []arguments.Flag {
	return slices.Concat(f.Reading(), []arguments.Flag{
		f.flag("--save-external-data, --external-data-path [NAME]", func(words []string) error {
			f.isExternal = true
			if len(words) > 0 {
				f.external.File = words[0]
			}
			return nil
		}),
	}, arguments.Needing([]string{"--save-external-data"},
		f.flag("--external-data-size-threshold SIZE", func(words []string) error {
			n, err := values.Size(words[0])
			f.external.Threshold = max(n, 1) // zero would mean the default
			return err
		}),
		f.flag("--no-save-all-tensors-to-one-file", arguments.Set(&f.external.Each))))
}

// Parts returns the flags of the tools extract and insert.
func (f *Flags) Parts() []arguments.Flag {
	return []arguments.Flag{
		f.flag("--inputs TENSOR ...", arguments.Texts(&f.inputs)),
		f.flag("--outputs TENSOR ...", arguments.Texts(&f.outputs)),
		f.flag("--op OP", arguments.Text(&f.node.Op)),
		f.flag("--name NAME", arguments.Text(&f.node.Name)),
		f.flag("--attrs NAME=VALUE ...", arguments.Values(namedAttribute, &f.node.Attributes)),
	}
}

// Sanitizing returns flags of the tool sanitize.
func (f *Flags) Sanitizing() []arguments.Flag {
	return []arguments.Flag{
		f.flag("--override-inputs, --override-input-shapes INPUT:SHAPE ...",
			func(words []string) error {
				f.shapes = map[string][]loaders.Dim{}
				for _, word := range words {
					s, err := shape(word, "INPUT:[SIZE,...]")
					if err == nil && s.Name == "" {
						err = fmt.Errorf("%q is not INPUT:[SIZE,...]", word)
					}
					if err != nil {
						return err
					}
					f.shapes[s.Name] = s.Value
				}
				return nil
			}),
		f.flag("--cleanup", arguments.Set(&f.cleanup)),
		f.flag("--toposort", arguments.Set(&f.toposort)),
		f.flag("--fold-constants", arguments.Set(&f.fold)),
		f.flag("--num-passes, --num-const-fold-passes N",
			arguments.Value(arguments.AtLeast(1), &f.folding.Passes)),
		f.flag("--no-fold-shapes", arguments.Set(&f.folding.KeepShapes)),
		f.flag("--fold-size-threshold SIZE", func(words []string) error {
			n, err := values.Size(words[0])
			f.folding.Largest = &n
			return err
		}),
		f.flag("--no-shape-inference", arguments.Set(&f.noInfer)),
		f.flag("--exclude-outputs TENSOR ...", arguments.Texts(&f.marks.Except)),
		f.flag("--outputs-by-type OPERATOR ...", arguments.Texts(&f.marks.Ops)),
		f.flag("--set-unbounded-dds-upper-bound [TENSOR:]N ...", func(words []string) error {
			f.bounds = map[string]int64{}
			for _, word := range words {
				bound := values.Split(word)
				most, err := strconv.ParseInt(bound.Value, 10, 64)
				if err != nil || most < 1 {
					return fmt.Errorf("%q is not [TENSOR:]N, where N is a whole number above 0", word)
				}
				f.bounds[bound.Name] = most
			}
			return nil
		}),
		f.flag("--force-fallback-shape-inference", arguments.Set(&f.observe)),
	}
}

// Folding returns the flags about folding constants.
func (f *Flags) Folding() []arguments.Flag {
	return arguments.Needing([]string{"--fold-constants"},
		// The value of this flag has no effect: the search for nodes that cannot be computed always
		// works by halving.
		f.flag("--partitioning HOW", func(words []string) error {
			return values.Choice(words[0], "basic", "recursive")
		}),
		f.flag("--no-per-pass-shape-inference", arguments.Set(&f.folding.InferOnce)))
}

// Feeding returns the flags that set the model's inputs for --force-fallback-shape-inference, which
// runs the model to find the shapes.
func (f *Flags) Feeding() []arguments.Flag {
	var list []arguments.Flag
	for _, flag := range f.feed.List() {
		switch flag.Name {
		case "--seed", "--cast-inputs": // --seed is a flag of weight-reconstruct too
			continue
		case "--input-shapes":
			flag.Name, flag.Also = "--model-input-shapes", []string{"--model-inputs"}
		}
		list = append(list, flag.Noted(&f.given))
	}
	return arguments.Needing([]string{"--force-fallback-shape-inference"}, list...)
}

// Weights returns the flags of the tools that remove and reconstruct weights.
func (f *Flags) Weights() []arguments.Flag {
	return []arguments.Flag{
		f.flag("--seed N", func(words []string) error {
			f.seed, _ = strconv.ParseInt(words[0], 10, 64) // Give returns the error
			return arguments.Give(f.feed.List(), "--seed", words...)
		}),
		f.flag("--exclude-list FILE", arguments.Text(&f.exclude)).On(files.Reads),
	}
}

// namedAttribute parses NAME=VALUE.
func namedAttribute(word string) (a edit.NodeAttribute, err error) {
	name, value, found := strings.Cut(word, "=")
	if !found || name == "" {
		return a, fmt.Errorf("%q is not NAME=VALUE", word)
	}
	if a.Value, err = attribute(value); err != nil {
		return a, fmt.Errorf("%s: %w", word, err)
	}
	a.Name = name
	return a, nil
}

// shape parses [NAME:][D0,D1,...]. The dimensions are sizes or, if they are dynamic, symbols or -1.
// wanted describes the expected text, for the error.
func shape(text, wanted string) (named values.Named[[]loaders.Dim], err error) {
	list, err := values.List(text, wanted)
	named.Name, named.Value = list.Name, []loaders.Dim{}
	for _, word := range list.Value {
		word = strings.Trim(word, `"'`)
		n, err := strconv.Atoi(word)
		_, noNumber := strconv.ParseFloat(word, 64)
		switch {
		case err == nil && n >= 0:
			named.Value = append(named.Value, loaders.Dim{Size: n})
		case n == -1 || word == "?" || word == "None":
			named.Value = append(named.Value, loaders.Dim{Size: -1})
		case word == "" || noNumber == nil:
			return named, fmt.Errorf("%q: dimension %q is no size; write a whole number, or a name or -1 "+
				"for a dynamic dimension", text, word)
		default:
			named.Value = append(named.Value, loaders.Dim{Size: -1, Symbol: word})
		}
	}
	return named, err
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
