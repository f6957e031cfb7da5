// Package trtflags makes options of package trt from Polygraphy's flags and their values, such as
// --tensor-formats image:[CHW32]. Most flags are one option; those of a profile and of a
// calibration add up to one.
package trtflags

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
)

// Flags is the flags that were given. The zero value is none.
type Flags struct {
	options []trt.Option
	given   []string

	profiles         [3][]trt.Shapes // min, opt and max, one entry for each profile
	int8             bool
	calibrator       string // the class
	quantile, cutoff *float64
}

// Set takes a flag with the words behind it. The error of a word says what to write; one of
// several flags that do not go together comes from [Flags.Options].
func (f *Flags) Set(flag string, words ...string) error {
	known, ok := table[flag]
	switch {
	case !ok:
		return fmt.Errorf("unknown flag %s of TensorRT", flag)
	case len(words) < known.least || len(words) > known.most:
		return fmt.Errorf("%s takes %s, got %d", flag, known.takes(), len(words))
	}
	f.given = append(f.given, flag)
	return known.apply(f, words)
}

// takes says how many values follow the flag.
func (f flag) takes() string {
	switch {
	case f.most == 0:
		return "no value"
	case f.most == 1:
		return "one value"
	}
	return "one value or more"
}

// Given is the flags that were set, in their order.
func (f *Flags) Given() []string { return slices.Clone(f.given) }

// Add takes options that no flag stands for.
func (f *Flags) Add(options ...trt.Option) { f.options = append(f.options, options...) }

// Keep has the engine of a model give out the wanted outputs alone; nil is all of them.
func (f *Flags) Keep(model *loaders.Model, wanted []string) error {
	if wanted == nil {
		return nil
	}
	outputs, err := model.Outputs()
	for _, output := range outputs {
		if !slices.Contains(wanted, output.Name) {
			f.Add(trt.Unmark(output.Name))
		}
	}
	return err
}

// Names lists every flag.
func Names() []string { return slices.Sorted(maps.Keys(table)) }

// Options is what the flags add up to. Shapes are those of the inputs, by name; a profile takes
// from them what its own flags leave out.
func (f *Flags) Options(shapes trt.Shapes) ([]trt.Option, error) {
	calibration, err := f.calibration()
	if err != nil {
		return nil, err
	}
	return slices.Concat(f.options, calibration, f.profileOptions(shapes)), nil
}
