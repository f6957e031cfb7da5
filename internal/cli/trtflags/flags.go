// Package trtflags converts Polygraphy's flags to options of package trt, such as --tensor-formats
// image:[CHW32]. Most flags are one option; the flags of a profile and of a calibration are
// combined into one.
package trtflags

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Flags holds the flags that were given. The zero value is none.
type Flags struct {
	options []trt.Option
	given   []string

	profiles         [3][]sizes // min, opt and max, one entry for each profile
	int8             bool
	calibrator       string // the class name
	quantile, cutoff *float64
}

// Set sets a flag. It returns an error for a bad value, which says what to write; [Flags.Options]
// returns the error of contradictory flags.
func (f *Flags) Set(flag string, words ...string) error {
	known, ok := table[flag]
	switch {
	case !ok:
		return fmt.Errorf("unknown TensorRT flag %s", flag)
	case len(words) < known.least || len(words) > known.most:
		return fmt.Errorf("%s takes %s, got %d", flag, known.takes(), len(words))
	}
	f.given = append(f.given, flag)
	return known.apply(f, words)
}

// takes describes the number of values.
func (f flag) takes() string {
	switch {
	case f.most == 0:
		return "no value"
	case f.most == 1:
		return "one value"
	}
	return "one value or more"
}

// Given returns the flags that were set, in order.
func (f *Flags) Given() []string { return slices.Clone(f.given) }

// Add adds options that have no flag.
func (f *Flags) Add(options ...trt.Option) { f.options = append(f.options, options...) }

// Keep makes a model's engine return only the wanted outputs; nil means all.
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

// Options converts the flags. shapes are the inputs' shapes by name; a profile uses them for inputs
// that its own flags leave out.
func (f *Flags) Options(shapes map[string]tensor.Shape) ([]trt.Option, error) {
	calibration, err := f.calibration()
	if err != nil {
		return nil, err
	}
	profiles, err := f.profileOptions(shapes)
	return slices.Concat(f.options, calibration, profiles), err
}
