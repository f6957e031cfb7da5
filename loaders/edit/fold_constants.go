package edit

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Folding configures [FoldConstants].
type Folding struct {
	// Largest is the size in bytes of the largest tensor to fold; nil means no limit.
	Largest *int64
	// KeepShapes excludes Shape and Size nodes, and nodes that depend on them, from folding.
	KeepShapes bool
	// Passes limits the number of passes over the graph; 0 repeats until nothing changes.
	Passes int
	// InferOnce infers shapes only before the first pass, instead of before every pass.
	InferOnce bool
}

// FoldConstants returns the model with nodes that depend only on weights replaced by their values.
// The engine computes the values without optimising, so in that engine the model's results are
// bit-identical; its own optimiser would also fuse nodes, which changes rounding. Shapes that are
// known statically count as weights. QuantizeLinear, DequantizeLinear and random operators are
// kept, and so are nodes that the engine cannot compute.
func FoldConstants(ctx context.Context, model *loaders.Model, f Folding, engine Engine) (
	*loaders.Model, error) {
	if err := engine.Available(); err != nil {
		return nil, err
	}
	stays := map[string]bool{}
	for pass := 0; f.Passes == 0 || pass < f.Passes; pass++ {
		changed := false
		if !f.KeepShapes {
			inferred := model
			if pass == 0 || !f.InferOnce {
				var err error
				if inferred, err = InferShapes(ctx, model, engine); err != nil {
					return nil, err
				}
			}
			shapes, err := staticShapes(inferred)
			if err != nil {
				return nil, err
			}
			outputs, err := model.Outputs()
			if err != nil {
				return nil, err
			}
			model = inferred
			if shapes = f.allowed(shapes, outputs); len(shapes) > 0 {
				changed = true
				if model, err = withConstants(model, shapes...); err != nil {
					return nil, err
				}
			}
		}
		folded, done, err := fold(ctx, model, f, stays, engine)
		if err != nil {
			return nil, err
		}
		model = folded
		if !done && !changed {
			break
		}
	}
	return model, nil
}

// allowed returns the entries that are small enough and are not outputs of the model.
func (f *Folding) allowed(entries []tensor.Entry, outputs []loaders.Value) []tensor.Entry {
	output := map[string]bool{}
	for _, v := range outputs {
		output[v.Name] = true
	}
	return slices.DeleteFunc(entries, func(e tensor.Entry) bool {
		return output[e.Name] || f.tooLarge(e.Tensor)
	})
}

func (f *Folding) tooLarge(t *tensor.Tensor) bool {
	return f.Largest != nil && int64(len(t.Bytes())) > *f.Largest
}

// fold makes one pass over the graph, and adds the tensors that cannot be folded to stays.
func fold(ctx context.Context, model *loaders.Model, f Folding, stays map[string]bool,
	engine Engine) (*loaders.Model, bool, error) {
	for {
		names, err := foldable(model, stays)
		if err != nil || len(names) == 0 {
			return model, false, err
		}
		values, err := computed(ctx, model, names, stays, engine)
		if err != nil {
			return nil, false, err
		}
		before := len(stays)
		for _, v := range values {
			if f.tooLarge(v.Tensor) {
				stays[v.Name] = true
			}
		}
		if len(stays) > before || len(values) < len(names) {
			continue // retry without the tensors that cannot be folded
		}
		folded, err := withConstants(model, values...)
		return folded, true, err
	}
}

// computed computes tensors that depend only on weights. It bisects the list to find the tensors
// that the engine cannot compute, and adds those to stays.
func computed(ctx context.Context, model *loaders.Model, names []string, stays map[string]bool,
	engine Engine) ([]tensor.Entry, error) {
	wanted := make([]loaders.Value, len(names))
	for i, name := range names {
		wanted[i] = loaders.Value{Name: name, Kind: loaders.Untyped}
	}
	part, err := model.Cut(nil, wanted)
	if err != nil {
		return nil, err
	}
	empty, err := tensor.NewSet()
	if err != nil {
		return nil, err
	}
	outputs, err := engine.Run(ctx, part, empty)
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil && len(names) == 1:
		stays[names[0]] = true
		return nil, nil
	case err != nil:
		half := len(names) / 2
		first, err := computed(ctx, model, names[:half], stays, engine)
		if err != nil {
			return nil, err
		}
		second, err := computed(ctx, model, names[half:], stays, engine)
		return append(first, second...), err
	}
	var values []tensor.Entry
	for name, t := range outputs.All() {
		values = append(values, tensor.Entry{Name: name, Tensor: t})
	}
	return values, nil
}
