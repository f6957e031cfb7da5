package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// complete declares what the part takes and gives as ONNX wants it of a model that is kept: each
// output with a type, and each dimension that the whole model names under its name. What the model
// does not declare about an output is learned by running the part; where it does not run, the
// output stays as it is. Without it, ONNX's checker refuses the part.
func (r *reduction) complete(ctx context.Context, c *Candidate) error {
	names := valueNames(slices.Concat(c.given, c.outputs))
	known, err := r.model.Declared(names...)
	if err != nil {
		return err
	}
	given := slices.Clone(c.given)
	for i := range given {
		given[i] = named(given[i], known[given[i].Name])
	}
	outputs := slices.Clone(c.outputs)
	open := slices.ContainsFunc(outputs, func(v loaders.Value) bool {
		_, declared := known[v.Name]
		return !declared
	})
	if open {
		r.learn(ctx, c, outputs, known)
	}
	whole, err := r.model.Cut(given, outputs)
	if err == nil {
		c.Model = whole
	}
	return err
}

// named is what an input takes, with the dimensions that the model declares without a size.
func named(v, declared loaders.Value) loaders.Value {
	if !v.HasShape || !declared.HasShape || len(v.Dims) != len(declared.Dims) {
		return v
	}
	dims := slices.Clone(v.Dims)
	for i, d := range declared.Dims {
		if d.Dynamic() {
			dims[i] = d
		} else if d.Size != dims[i].Size {
			return v
		}
	}
	v.Dims = dims
	return v
}

// learn gives types to the outputs that the model does not declare. Their sizes are known where the
// model takes inputs of one shape only.
func (r *reduction) learn(ctx context.Context, c *Candidate, outputs []loaders.Value,
	known map[string]loaders.Value) {
	sets, err := outputSets(r.recorder.run(ctx, c.Model, fixtures.Of(c.Inputs...)))
	if err != nil {
		return
	}
	fixed := r.fixed()
	for i, v := range outputs {
		values := all(sets, v.Name)
		if _, told := known[v.Name]; told || len(values) == 0 {
			continue
		}
		outputs[i] = declared(v.Name, values)
		for d := range outputs[i].Dims {
			if !fixed {
				outputs[i].Dims[d] = loaders.Dim{Size: -1}
			}
		}
	}
}

// fixed reports whether the model's inputs have one shape only.
func (r *reduction) fixed() bool {
	inputs, err := r.model.Inputs()
	return err == nil && !slices.ContainsFunc(inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	})
}
