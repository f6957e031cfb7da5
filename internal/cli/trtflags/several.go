package trtflags

import (
	"errors"
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
)

// calibration returns the options of INT8 calibration.
func (f *Flags) calibration() ([]trt.Option, error) {
	legacy := f.calibrator == "IInt8LegacyCalibrator"
	switch given := f.quantile != nil || f.cutoff != nil; {
	case !f.int8 && (given || f.calibrator != "" || slices.Contains(f.given, "--calibration-cache")):
		return nil, errors.New("--calibration-cache, --calib-base-cls, --quantile and " +
			"--regression-cutoff need --int8")
	case given && !legacy:
		return nil, errors.New("--quantile and --regression-cutoff are for the legacy calibrator; " +
			"write --calib-base-cls IInt8LegacyCalibrator, or drop them")
	case !legacy:
		return nil, nil
	}
	half := 0.5 // as in Polygraphy
	for _, n := range []**float64{&f.quantile, &f.cutoff} {
		if *n == nil {
			*n = &half
		}
	}
	return []trt.Option{trt.LegacyCalibration(*f.quantile, *f.cutoff)}, nil
}

// profileOptions combines the three sides of each profile, as Polygraphy does. An input that a side
// leaves out takes its shape from the previous side, the previous profile, or the inputs.
func (f *Flags) profileOptions(shapes trt.Shapes) (options []trt.Option) {
	for i := range max(len(f.profiles[0]), len(f.profiles[1]), len(f.profiles[2])) {
		var sides [3]trt.Shapes
		for side, all := range f.profiles {
			sides[side] = trt.Shapes{}
			if i < len(all) {
				sides[side] = all[i]
			}
		}
		options = append(options, trt.ProfileSides(shapes.With(sides[0]), sides[1], sides[2]))
		shapes = shapes.With(sides[0]).With(sides[1]).With(sides[2])
	}
	return options
}
