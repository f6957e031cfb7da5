// Package trtflags converts Polygraphy's flags for TensorRT, such as --tensor-formats
// image:[CHW32], to options of package trt. Most flags become one option each. But all flags for a
// profile together become one option, and so do all flags for calibration.
package trtflags

import (
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Flags holds the flags of a command line. The zero value is a command line without flags.
type Flags struct {
	options []trt.Option
	given   []string

	profiles         [3][]sizes // min, opt and max, each with one entry per profile
	calibrator       string     // the name of TensorRT's calibrator class
	quantile, cutoff *float64
}

// Given returns the names of the flags that were set, in order.
func (f *Flags) Given() []string { return slices.Clone(f.given) }

// Add adds options that do not come from flags.
func (f *Flags) Add(options ...trt.Option) { f.options = append(f.options, options...) }

// Keep makes the model's engine return only the outputs in wanted; nil means all outputs.
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

// Options converts the flags. shapes contains input shapes; a profile uses them only for inputs
// that its own flags do not mention.
func (f *Flags) Options(shapes map[string]tensor.Shape) ([]trt.Option, error) {
	calibration, err := f.calibration()
	if err != nil {
		return nil, err
	}
	profiles, err := f.profileOptions(shapes)
	return slices.Concat(f.options, calibration, profiles), err
}
