package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// inputs is what the model is fed with.
func (r *request) inputs(model fixtures.Declaration) fixtures.Inputs {
	if len(r.loadInputs) > 0 {
		return fixtures.LoadFor(model, r.loadInputs...)
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
	options, err := r.trt.all(r.shapes)
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
		if err := saveBlobs(r.saveBlobs, inputs); err != nil {
			return fmt.Errorf("--save-input-blob: %w", err)
		}
		found.saved = append(found.saved, r.saveBlobs)
	}
	return nil
}

// blobPattern is what files saveBlobs writes.
const blobPattern = "[0-9]*/*.bin"

// saveBlobs writes the raw bytes of every input, as DIR/0000000000/NAME.bin in the first
// iteration.
func saveBlobs(folder string, inputs fixtures.Inputs) error {
	i := 0
	for set, err := range inputs.All() {
		if err != nil {
			return err
		}
		for name, t := range set.All() {
			file := strings.ReplaceAll(name, "/", "_") + ".bin"
			path := filepath.Join(folder, fmt.Sprintf("%010d", i), file)
			if err := writeWhole(path, t.Bytes()); err != nil {
				return err
			}
		}
		i++
	}
	if i == 0 {
		return errors.New("there are no inputs")
	}
	return nil
}
