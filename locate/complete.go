package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// complete declares what the part takes and gives as ONNX wants it of a model that is kept: each
// output with a type, and each dimension that the whole model names under its name. What the model
// does not declare about an output is learned by running the part; where it does not run, the
// output stays as it is. Without it, ONNX's checker refuses the part. The same part of the model of
// the recording side is completed by what that model declares and gives.
func (r *reduction) complete(ctx context.Context, c *Candidate) (err error) {
	if c.Model, err = r.completed(ctx, r.model, c); err != nil || r.recorder.model == r.model {
		return err
	}
	other := r.recorder.model
	if part, err := r.completed(ctx, other, c); err == nil {
		c.other, c.otherOf = part, other
	}
	return nil // a model without these tensors has no such part, and Counterpart says so
}

// completed is the part of a model, completed.
func (r *reduction) completed(ctx context.Context, model *loaders.Model, c *Candidate) (
	*loaders.Model, error) {
	known, err := model.Declared(valueNames(slices.Concat(c.given, c.outputs))...)
	if err != nil {
		return nil, err
	}
	given, outputs := slices.Clone(c.given), untyped(valueNames(c.outputs))
	for i := range given {
		given[i] = named(given[i], known[given[i].Name])
		if !given[i].HasShape { // it differs from iteration to iteration
			given[i] = ranked(given[i], all(c.Inputs, given[i].Name))
		}
	}
	if open := undeclared(outputs, known); len(open) > 0 {
		part, err := model.Cut(c.given, c.outputs)
		if err != nil {
			return nil, err
		}
		sets, err := outputSets(r.recorder.run(ctx, part, fixtures.Of(c.Inputs...)))
		for _, i := range open {
			if outputs[i] = c.outputs[i]; err == nil {
				outputs[i] = learned(outputs[i], all(sets, outputs[i].Name), fixed(model))
			}
		}
	}
	return model.Cut(given, outputs)
}

// undeclared are the places of the values that a model does not declare, or without a shape: an
// output has to have one.
func undeclared(values []loaders.Value, known map[string]loaders.Value) (places []int) {
	for i, v := range values {
		d, told := known[v.Name]
		if !told || d.Kind == loaders.Tensor && !d.HasShape {
			places = append(places, i)
		}
	}
	return places
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

// learned is a value with the type and rank that its tensors have, and with their sizes where the
// model takes inputs of one shape only. What is not a tensor stays as it is.
func learned(v loaders.Value, found []*tensor.Tensor, fixed bool) loaders.Value {
	if len(found) == 0 {
		return v
	}
	typed := declared(v.Name, found)
	if !fixed || !typed.HasShape {
		typed = ranked(typed, found)
	}
	return typed
}

// ranked is a value with the rank of its tensors, and no sizes; without a shape where the ranks
// differ.
func ranked(v loaders.Value, found []*tensor.Tensor) loaders.Value {
	v.HasShape, v.Dims = false, nil
	for _, t := range found {
		if len(t.Shape()) != len(found[0].Shape()) {
			return v
		}
	}
	v.HasShape = true
	for range found[0].Shape() {
		v.Dims = append(v.Dims, loaders.Dim{Size: -1})
	}
	return v
}

// fixed reports whether a model's inputs have one shape only.
func fixed(model *loaders.Model) bool {
	inputs, err := model.Inputs()
	return err == nil && !slices.ContainsFunc(inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	})
}
