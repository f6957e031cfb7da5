package edit

import (
	"context"
	"math"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Folding configures [FoldConstants].
type Folding struct {
	// Largest is the size in bytes of the largest tensor to fold. If Largest is nil, a tensor may
	// have any size, but folding stops before the model exceeds twice its original size plus 16 MiB.
	Largest *int64
	// KeepShapes excludes Shape and Size nodes, and nodes that depend on them, from folding.
	KeepShapes bool
	// Passes limits the number of passes over the graph; 0 repeats until nothing changes.
	Passes int
	// InferOnce infers shapes only before the first pass, instead of before every pass.
	InferOnce bool
}

// FoldConstants returns the model with nodes that depend only on weights replaced by their values.
// The engine computes the values without optimising, so in that engine the folded model's results
// are bit-identical to the original's. The engine's own optimiser would also fuse nodes, which
// changes rounding. Shapes that are known statically count as weights. QuantizeLinear,
// DequantizeLinear and random operators are kept, and so are nodes that the engine cannot compute.
// Equal values share one weight.
func FoldConstants(ctx context.Context, model *loaders.Model, f Folding, engine Engine) (
	*loaders.Model, error) {
	if err := engine.Available(); err != nil {
		return nil, err
	}
	fold := folder{Folding: f, engine: engine, stays: map[string]bool{}}
	if err := fold.limit(model); err != nil {
		return nil, err
	}
	for pass := 0; f.Passes == 0 || pass < f.Passes; pass++ {
		changed := false
		if !f.KeepShapes {
			if pass == 0 || !f.InferOnce {
				var err error
				if model, err = InferShapes(ctx, model, engine); err != nil {
					return nil, err
				}
			}
			shapes, err := staticShapes(model)
			if err != nil {
				return nil, err
			}
			outputs, err := model.Outputs()
			if err != nil {
				return nil, err
			}
			if shapes = f.allowed(shapes, outputs); len(shapes) > 0 {
				changed = true
				if model, err = withConstants(model, nil, shapes...); err != nil {
					return nil, err
				}
			}
		}
		folded, done, err := fold.pass(ctx, model)
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

// allowed returns the entries that are small enough to fold and are not outputs of the model.
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

// folder folds a model in several passes.
type folder struct {
	Folding
	engine Engine
	stays  map[string]bool // tensors that cannot or must not be folded
	most   int64           // the size in bytes that the model may reach
}

// limit sets the maximum size of the folded model.
func (f *folder) limit(m *loaders.Model) error {
	size, err := m.Size()
	if err != nil {
		return err
	}
	for _, e := range m.File().Structure.External {
		size += max(0, e.Length)
	}
	if f.most = 2*size + 16<<20; f.Largest != nil {
		f.most = math.MaxInt64
	}
	return nil
}

// pass makes one pass over the graph. It reports whether the graph changed.
func (f *folder) pass(ctx context.Context, model *loaders.Model) (*loaders.Model, bool, error) {
	for {
		names, err := foldable(model, f.stays)
		if err != nil || len(names) == 0 {
			return model, false, err
		}
		u, err := newUnique(model)
		if err != nil {
			return nil, false, err
		}
		before := len(f.stays)
		values, err := f.computed(ctx, model, names)
		if err == nil {
			err = f.keep(u, values)
		}
		if err != nil {
			return nil, false, err
		}
		if len(f.stays) > before || len(values) < len(names) {
			continue // retry without the tensors that cannot be folded
		}
		folded, err := withConstants(model, u.same, u.values...)
		return folded, true, err
	}
}

// keep collects in u the values that will replace nodes. If a value is too large, or would make the
// model too large, its tensor is not folded: keep adds its name to f.stays instead.
func (f *folder) keep(u *unique, values []tensor.Entry) error {
	for _, v := range values {
		fits := !f.tooLarge(v.Tensor)
		if fits {
			var err error
			if fits, err = u.add(v, f.most); err != nil {
				return err
			}
		}
		if !fits {
			f.stays[v.Name] = true
		}
	}
	return nil
}

// computed computes tensors that depend only on weights. It bisects the list to find the tensors
// that the engine cannot compute, and adds their names to f.stays.
func (f *folder) computed(ctx context.Context, model *loaders.Model, names []string) (
	[]tensor.Entry, error) {
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
	outputs, err := f.engine.Run(ctx, part, empty)
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil && len(names) == 1:
		f.stays[names[0]] = true
		return nil, nil
	case err != nil:
		half := len(names) / 2
		first, err := f.computed(ctx, model, names[:half])
		if err != nil {
			return nil, err
		}
		second, err := f.computed(ctx, model, names[half:])
		return append(first, second...), err
	}
	var values []tensor.Entry
	for name, t := range outputs.All() {
		values = append(values, tensor.Entry{Name: name, Tensor: t})
	}
	return values, nil
}
