package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// complete declares the inputs and outputs of a part of a model, as ONNX's checker requires for a
// saved model: each output has a type, and dimensions have the names that the whole model uses. If
// the model does not declare an output's type, complete runs the part to learn it. If the part does
// not run, the output stays undeclared. If the part's inputs were recorded with a different model,
// complete also completes the same part of that model.
func (r *reduction) complete(ctx context.Context, c *Candidate) (err error) {
	if c.Model, err = r.completed(ctx, c.of, c.given, c); err != nil || r.recorder.model == c.of {
		return err
	}
	if part, err := r.completed(ctx, r.recorder.model, c.recorded, c); err == nil {
		c.other, c.otherOf = part, r.recorder.model
	}
	return nil // a model without these tensors does not have the part; Counterpart reports that
}

// completed returns a candidate's part of the model, with all inputs and outputs declared.
func (r *reduction) completed(ctx context.Context, model *loaders.Model, begin []loaders.Value,
	c *Candidate) (*loaders.Model, error) {
	known, err := model.Declared(loaders.Names(slices.Concat(c.given, c.outputs))...)
	if err != nil {
		return nil, err
	}
	given, outputs := slices.Clone(begin), untyped(loaders.Names(c.outputs))
	for i := range given {
		given[i] = named(given[i], known[given[i].Name])
		if !given[i].HasShape { // the shape differs between iterations
			given[i] = ranked(given[i], all(c.Inputs, given[i].Name))
		}
	}
	if open := undeclared(outputs, known); len(open) > 0 {
		part, err := model.Cut(begin, c.outputs)
		if err != nil {
			return nil, err
		}
		sets, err := outputSets(r.recorder.run(ctx, part, fixtures.Of(c.Inputs...).Cast(part)))
		for _, i := range open {
			if outputs[i] = c.outputs[i]; err == nil && !r.isOptional(outputs[i].Name) {
				name := outputs[i].Name
				values := append(all(sets, name), all(sets, name+loaders.CutSuffix)...) // either is nil
				outputs[i] = learned(outputs[i], values, fixed(model))
			}
		}
	}
	return model.Cut(given, outputs)
}

// undeclared returns the indices of the values that lack a type or shape. ONNX requires both for
// outputs.
func undeclared(values []loaders.Value, known map[string]loaders.Value) (places []int) {
	for i, v := range values {
		d, told := known[v.Name]
		if !told || d.Kind == loaders.Tensor && !d.HasShape {
			places = append(places, i)
		}
	}
	return places
}

// named returns v with the declared names of its dynamic dimensions, such as "batch". It returns v
// unchanged if the declared shape contradicts the shape of v.
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

// learned returns v with the type and rank that the found tensors have. It also declares their
// sizes if all of the model's inputs have fixed shapes. A value that is not a tensor is returned
// unchanged.
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

// ranked returns v with a new shape. The shape has the same rank as the found tensors, and all its
// sizes are unknown. If the found tensors differ in rank, v gets no shape.
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

// fixed reports whether all of a model's inputs have fixed shapes.
func fixed(model *loaders.Model) bool {
	inputs, err := model.Inputs()
	return err == nil && !slices.ContainsFunc(inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	})
}
