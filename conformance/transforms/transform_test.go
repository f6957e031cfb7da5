package transforms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// promise is what a change says of what the model computes.
type promise string

const (
	sameBits  promise = "the same bits"
	inFloat16 promise = "within 5 % of the norm"
	sameForm  promise = "the same types and shapes"
)

// errNothing says that a change has nothing to do on a model.
var errNothing = errors.New("nothing to do")

// subject is a model with what it gives.
type subject struct {
	model  *loaders.Model
	inputs fixtures.Inputs
	run    *backends.Run
	shaped *loaders.Model // with inferred shapes
}

// changed is what a change makes: a model that runs on inputs and promises what want holds, in full
// or, of parts of models in float16, within its rounding: where ONNX Runtime has no kernels for it,
// a whole model is rounded less often than its parts.
type changed struct {
	model   *loaders.Model
	inputs  fixtures.Inputs
	want    *backends.Run
	rounded bool
}

// transform is a change of a model.
type transform struct {
	name    string
	promise promise
	do      func(ctx context.Context, s *subject) (changed, error)
}

// whole is a change that keeps inputs and outputs.
func whole(do func(context.Context, *subject) (*loaders.Model, error)) func(context.Context,
	*subject) (changed, error) {
	return func(ctx context.Context, s *subject) (changed, error) {
		m, err := do(ctx, s)
		return changed{model: m, inputs: s.inputs, want: s.run}, err
	}
}

var transforms = []transform{
	{"shape inference", sameBits, whole(func(_ context.Context, s *subject) (*loaders.Model, error) {
		return s.shaped, nil
	})},
	{"constant folding", sameBits, whole(func(ctx context.Context, s *subject) (*loaders.Model,
		error) {
		return edit.FoldConstants(ctx, s.model, edit.Folding{}, ort.EditEngine())
	})},
	{"sanitize: fold, clean up, sort, infer", sameBits, whole(sanitized)},
	{"extract: the part before the middle", sameBits, before},
	{"extract: the part behind it", sameBits, behind},
	{"ToFloat16", inFloat16, whole(func(_ context.Context, s *subject) (*loaders.Model, error) {
		half, _, err := edit.ToFloat16(s.model, edit.Float16{})
		return half, err
	})},
	{"prune 2:4", sameForm, whole(pruned)},
	{"weight-strip and reconstruct", sameForm, whole(reconstructed)},
}

// plain runs a model as it is written.
func plain(ctx context.Context, m *loaders.Model, inputs fixtures.Inputs) (*backends.Run, error) {
	return ort.Run(ctx, m, inputs, ort.OptimizationLevel(ort.OptimizeNone))
}

func sanitized(ctx context.Context, s *subject) (*loaders.Model, error) {
	m, err := edit.FoldConstants(ctx, s.model, edit.Folding{}, ort.EditEngine())
	if err == nil {
		m, err = edit.Cleanup(m)
	}
	if err == nil {
		m, err = edit.Sorted(m)
	}
	if err != nil {
		return nil, err
	}
	return edit.InferShapes(ctx, m, ort.EditEngine())
}

// middle is a tensor inside the graph, about half way through, whose type and rank are known.
func middle(s *subject) (loaders.Value, error) {
	nodes, err := s.shaped.Nodes()
	if err != nil {
		return loaders.Value{}, err
	}
	outputs, err := s.shaped.Outputs()
	if err != nil {
		return loaders.Value{}, err
	}
	for i := len(nodes) / 2; i < len(nodes); i++ {
		for _, name := range nodes[i].Outputs {
			if slices.ContainsFunc(outputs, func(v loaders.Value) bool { return v.Name == name }) {
				continue
			}
			declared, err := s.shaped.Declared(name)
			if err != nil {
				return loaders.Value{}, err
			}
			v, known := declared[name]
			if known && nodes[i].Op != "Constant" && v.Kind == loaders.Tensor && v.HasShape &&
				v.Type.IsFloat() {
				return v, nil
			}
		}
	}
	return loaders.Value{}, errNothing
}

// before is the part of the model up to its middle, held to the middle of the whole.
func before(ctx context.Context, s *subject) (c changed, err error) {
	at, err := middle(s)
	if err != nil {
		return c, err
	}
	if c.want, err = valueOf(ctx, s, at.Name); err != nil {
		return c, err
	}
	if c.model, err = s.shaped.Cut(nil, []loaders.Value{at}); err != nil {
		return c, err
	}
	c.inputs, err = fed(c.model, s.inputs, nil)
	return c, err
}

// behind is the part of the model from its middle on, fed with what the whole has there.
func behind(ctx context.Context, s *subject) (c changed, err error) {
	at, err := middle(s)
	if err != nil {
		return c, err
	}
	value, err := valueOf(ctx, s, at.Name)
	if err != nil {
		return c, err
	}
	outputs, err := s.shaped.Outputs()
	if err != nil {
		return c, err
	}
	if c.model, err = s.shaped.Cut([]loaders.Value{at}, outputs); err != nil {
		return c, err
	}
	c.want, c.rounded = s.run, at.Type != tensor.Float32
	c.inputs, err = fed(c.model, s.inputs, value.Outputs()[0])
	return c, err
}

// valueOf is what a tensor holds while the whole model runs.
func valueOf(ctx context.Context, s *subject, name string) (*backends.Run, error) {
	marked, err := s.model.Mark(name)
	if err != nil {
		return nil, err
	}
	run, err := plain(ctx, marked, s.inputs)
	if err != nil {
		return nil, err
	}
	return run.Only(name)
}

// fed is the inputs that a part of a model takes, of those of the whole and of what it has inside.
func fed(part *loaders.Model, inputs fixtures.Inputs, inside *tensor.Set) (fixtures.Inputs, error) {
	wanted, err := part.Inputs()
	if err != nil {
		return inputs, err
	}
	var entries []tensor.Entry
	for set, err := range inputs.All() {
		if err != nil {
			return inputs, err
		}
		for _, from := range []*tensor.Set{set, inside} {
			if from == nil {
				continue
			}
			for name, t := range from.All() {
				if slices.ContainsFunc(wanted, func(v loaders.Value) bool { return v.Name == name }) {
					entries = append(entries, tensor.Entry{Name: name, Tensor: t})
				}
			}
		}
		break
	}
	set, err := tensor.NewSet(entries...)
	return fixtures.Of(set), err
}

// pruned is the model with 2:4 sparse weights, which it must then have.
func pruned(_ context.Context, s *subject) (*loaders.Model, error) {
	m, report, err := edit.Prune(s.model, edit.Pruning{})
	if err != nil {
		return nil, err
	}
	sparse, err := edit.SparseWeights(m)
	if err != nil {
		return nil, err
	}
	done := 0
	for _, w := range report {
		if w.Kept != "" || w.Zeroed == 0 {
			continue
		}
		if done++; !slices.Contains(sparse, w.Name) {
			return nil, fmt.Errorf("weight %s is not 2:4 sparse", w.Name)
		}
	}
	if done == 0 {
		return nil, errNothing
	}
	return m, nil
}

// reconstructed is the model with random weights in place of its own.
func reconstructed(_ context.Context, s *subject) (*loaders.Model, error) {
	bare, names, err := edit.StripWeights(s.model)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errNothing
	}
	full, again, err := edit.ReconstructWeights(bare, 1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	slices.Sort(again)
	if !slices.Equal(names, again) {
		return nil, fmt.Errorf("stripped %q, and reconstructed %q", names, again)
	}
	return full, nil
}
