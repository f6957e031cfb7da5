package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// inputs is what the model is fed with.
func (r *request) inputs(model fixtures.Declaration) fixtures.Inputs {
	if len(r.loadInputs) > 0 {
		loaded := fixtures.LoadFor(model, r.loadInputs...)
		if r.castInputs {
			return loaded.Cast(model)
		}
		return loaded
	}
	var options []fixtures.Option
	if r.seed != nil {
		options = append(options, fixtures.Seed(*r.seed))
	}
	if r.iterations != nil {
		options = append(options, fixtures.Iterations(*r.iterations))
	}
	for _, bounds := range r.ranges {
		if bounds.Name == "" {
			options = append(options, fixtures.ValRange(bounds.Value[0], bounds.Value[1]))
		} else {
			options = append(options, fixtures.ValRangeFor(bounds.Name, bounds.Value[0], bounds.Value[1]))
		}
	}
	return fixtures.Random(model, append(options, r.shapeTables()...)...)
}

// declared is what declares the inputs of the model or engine in a file.
func (r *request) declared(model *loaders.Model) (fixtures.Declaration, error) {
	if !r.isEngine(model.Path()) {
		return model, nil
	}
	options, err := r.tensorrtOptions()
	return trt.Plan(model.Path(), options...), err
}

// shapeTables gathers the shapes of each input: one that is named several times has one iteration
// for each of its shapes.
func (r *request) shapeTables() []fixtures.Option {
	var names []string
	tables := map[string][]tensor.Shape{}
	for _, shape := range r.shapes {
		if !slices.Contains(names, shape.Name) {
			names = append(names, shape.Name)
		}
		tables[shape.Name] = append(tables[shape.Name], tensor.Shape(shape.Value))
	}
	var options []fixtures.Option
	for _, name := range names {
		options = append(options, fixtures.Shapes(name, tables[name]...))
	}
	return options
}

// keepInputs saves the inputs where that is asked for.
func (r *request) keepInputs(inputs fixtures.Inputs, found *outcome) error {
	if r.saveInputs != "" {
		err := os.MkdirAll(filepath.Dir(r.saveInputs), 0o755)
		if err == nil {
			err = fixtures.Save(r.saveInputs, inputs)
		}
		if err != nil {
			return fmt.Errorf("--save-inputs: %w", err)
		}
		found.saved = append(found.saved, r.saveInputs)
	}
	if r.saveBlobs != "" {
		if err := fixtures.SaveBlobs(r.saveBlobs, inputs); err != nil {
			return fmt.Errorf("--save-input-blob: %w", err)
		}
		found.saved = append(found.saved, r.saveBlobs)
	}
	return nil
}

// blobPattern is what files saveBlobs writes.
const blobPattern = "[0-9]*/*.bin"
