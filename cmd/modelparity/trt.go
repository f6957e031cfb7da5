package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// tensorrt is how the request wants TensorRT.
type tensorrt struct {
	options []trt.Option
	given   []string // the flags that only TensorRT reads

	profiles         [3][][]arguments.Named[[]int] // min, opt and max, one entry for each profile
	int8             bool
	calibrator       string // the class
	calibrationCache string
	quantile, cutoff float64 // of the legacy calibrator
	loadCache        string  // of timings
	saveCache        string
	saveEngine       string
}

// openTensorRT builds the model, or loads it where it is an engine already.
func (r *request) openTensorRT(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs) (
	*trt.Engine, error) {
	if r.isEngine(model.Path()) {
		return trt.Load(model.Path(), r.trt.options...)
	}
	options, err := r.trt.all(model, inputs, r.shapes)
	if err != nil {
		return nil, err
	}
	engine, err := trt.New(ctx, model, options...)
	if err != nil {
		return nil, err
	}
	if r.trt.saveEngine != "" {
		if err := engine.Save(r.trt.saveEngine); err != nil {
			return nil, errors.Join(fmt.Errorf("--save-engine: %w", err), engine.Close())
		}
	}
	if err := giveWeights(engine, model); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// giveWeights refits an engine that --strip-plan built, which is saved without weights and cannot
// run so.
func giveWeights(engine *trt.Engine, model *loaders.Model) error {
	info, err := engine.Information()
	if err == nil && info.Stripped {
		err = engine.Refit(model)
	}
	return err
}

// all is the options that the flags add up to.
func (t *tensorrt) all(model *loaders.Model, inputs fixtures.Inputs,
	shapes []arguments.Named[[]int]) ([]trt.Option, error) {
	options := slices.Clone(t.options)
	if !t.int8 && t.calibrationCache+t.calibrator != "" {
		return nil, errors.New("--calibration-cache and --calib-base-cls need --int8")
	}
	if t.int8 {
		calibration, err := t.calibration(model, inputs)
		if err != nil {
			return nil, err
		}
		options = append(options, calibration)
	}
	if t.loadCache != "" {
		options = append(options, trt.LoadTimingCache(t.loadCache))
	}
	if t.saveCache != "" {
		options = append(options, trt.SaveTimingCache(t.saveCache))
	}
	profiles, err := t.profileOptions(shapes)
	if err != nil {
		return nil, err
	}
	return append(append(options, profiles...), trt.ProfileFrom(inputs)), nil
}

// calibration is INT8 with what the flags say. A model with QuantizeLinear or DequantizeLinear
// nodes holds its scales itself and is not calibrated.
func (t *tensorrt) calibration(model *loaders.Model, inputs fixtures.Inputs) (trt.Option, error) {
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		if node.Op == "QuantizeLinear" || node.Op == "DequantizeLinear" {
			return trt.INT8(), nil
		}
	}
	how := []trt.Calibration{trt.Calibrate(inputs)}
	if t.calibrationCache != "" {
		how = append(how, trt.CalibrationCache(t.calibrationCache))
	}
	switch t.calibrator {
	case "IInt8EntropyCalibrator":
		how = append(how, trt.Entropy())
	case "IInt8MinMaxCalibrator":
		how = append(how, trt.MinMax())
	case "IInt8LegacyCalibrator":
		how = append(how, trt.Legacy(t.quantile, t.cutoff))
	}
	return trt.INT8(how...), nil
}

// profileOptions puts the three sides of each profile together. What a side leaves out is the shape
// that --input-shapes gives, as in Polygraphy.
func (t *tensorrt) profileOptions(shapes []arguments.Named[[]int]) ([]trt.Option, error) {
	var options []trt.Option
	for i := range max(len(t.profiles[0]), len(t.profiles[1]), len(t.profiles[2])) {
		sides := map[string]*[3]tensor.Shape{}
		var names []string
		for side, all := range t.profiles {
			given := shapes
			if i < len(all) {
				given = slices.Concat(shapes, all[i]) // the later one counts
			}
			for _, shape := range given {
				if sides[shape.Name] == nil {
					sides[shape.Name] = &[3]tensor.Shape{}
					names = append(names, shape.Name)
				}
				sides[shape.Name][side] = shape.Value
			}
		}
		var ranges []trt.ProfileRange
		for _, name := range names {
			s := sides[name]
			if s[0] == nil || s[1] == nil || s[2] == nil {
				return nil, fmt.Errorf("profile %d of %s needs all three of --trt-min-shapes, "+
					"--trt-opt-shapes and --trt-max-shapes, or --input-shapes for what is left out",
					i, name)
			}
			ranges = append(ranges, trt.Range(name, s[0], s[1], s[2]))
		}
		options = append(options, trt.Profile(ranges...))
	}
	return options, nil
}
