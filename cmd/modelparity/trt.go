package main

import (
	"errors"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/values"
)

// tensorrt is how the request wants TensorRT.
type tensorrt struct {
	options []trt.Option
	given   []string // the flags that only TensorRT reads

	profiles         [3][]trt.Shapes // min, opt and max, one entry for each profile
	int8             bool
	calibrator       string // the class
	quantile, cutoff *float64
	saveEngine       string // of convert
}

// tensorrt is TensorRT as the flags want it, for the model of a file or for the engine in it.
func (r *request) tensorrt(path string) (backends.Engine, error) {
	options, err := r.trt.all(r.shapes)
	if err != nil {
		return nil, err
	}
	options = append(options, trt.WarmUp(r.warmUp))
	if r.isEngine(path) {
		return trt.Plan(path, options...), nil
	}
	return trt.Engine(options...), nil
}

// all is the options that the flags add up to.
func (t *tensorrt) all(shapes []values.Named[[]int]) ([]trt.Option, error) {
	calibration, err := t.calibration()
	if err != nil {
		return nil, err
	}
	return slices.Concat(t.options, calibration, t.profileOptions(shapes)), nil
}

// calibration is how the flags want INT8 calibrated.
func (t *tensorrt) calibration() ([]trt.Option, error) {
	legacy := t.calibrator == "IInt8LegacyCalibrator"
	switch given := t.quantile != nil || t.cutoff != nil; {
	case !t.int8 && (given || t.calibrator != "" || slices.Contains(t.given, "--calibration-cache")):
		return nil, errors.New("--calibration-cache, --calib-base-cls, --quantile and " +
			"--regression-cutoff need --int8")
	case given && !legacy:
		return nil, errors.New("--quantile and --regression-cutoff are the legacy calibrator's; write " +
			"--calib-base-cls IInt8LegacyCalibrator, or drop them")
	case !legacy:
		return nil, nil
	}
	half := 0.5 // as in Polygraphy
	for _, n := range []**float64{&t.quantile, &t.cutoff} {
		if *n == nil {
			*n = &half
		}
	}
	return []trt.Option{trt.LegacyCalibration(*t.quantile, *t.cutoff)}, nil
}

// profileOptions puts the three sides of each profile together, as Polygraphy does: what a side
// leaves out is that of the side before it, of the profile before, or of --input-shapes.
func (t *tensorrt) profileOptions(given []values.Named[[]int]) (options []trt.Option) {
	shapes := trt.Shapes{}
	for _, shape := range given {
		shapes[shape.Name] = shape.Value
	}
	for i := range max(len(t.profiles[0]), len(t.profiles[1]), len(t.profiles[2])) {
		var sides [3]trt.Shapes
		for side, all := range t.profiles {
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
