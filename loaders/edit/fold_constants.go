package edit

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Folding says what [FoldConstants] leaves alone.
type Folding struct {
	// Largest is the size in bytes of the largest tensor that replaces nodes; nil is any.
	Largest *int64
	// KeepShapes leaves Shape and Size nodes, and what is computed from them.
	KeepShapes bool
	// Passes bounds how often it goes over the graph; 0 is until nothing changes.
	Passes int
	// InferOnce infers shapes before the first pass only, not before each.
	InferOnce bool
}

// FoldConstants returns the model with what its nodes compute from weights alone as weights, and
// without those nodes. The engine computes the values, without optimising, so in that engine the
// model gives the very bits that it gave; its own optimiser would also fuse nodes, which rounds
// differently. Shapes that are known ahead count as weights. QuantizeLinear, DequantizeLinear and
// what makes random numbers stay. Where the engine cannot compute a tensor, its nodes stay.
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

// allowed are the entries that are small enough and not outputs of the model.
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

// fold goes over the graph once, and notes in stays what cannot be folded.
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
			continue // the nodes before those that stay
		}
		folded, err := withConstants(model, values...)
		return folded, true, err
	}
}

// computed are the values of tensors that depend on nothing. Those that the engine cannot compute
// are found by halves, and noted in stays.
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
