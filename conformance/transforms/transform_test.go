package transforms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// promise is what a change guarantees about the model's results.
type promise string

const (
	sameBits  promise = "the same bits"
	inFloat16 promise = "within 5 % of the norm"
	sameForm  promise = "the same types and shapes"
)

// errNothing reports that a change does not apply to a model.
var errNothing = errors.New("nothing to do")

// subject is a model with its outputs.
type subject struct {
	model  *loaders.Model
	inputs fixtures.Inputs
	run    *backends.Run
	shaped *loaders.Model // with inferred shapes
}

// changed is the result of a change: a model, its inputs and its promised outputs. Parts of float16
// models may differ from them by rounding: if ONNX Runtime lacks float16 kernels, a whole model is
// rounded less often than its parts.
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

// plain runs a model unchanged.
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

// middle returns a tensor about half way through the graph with known type and rank.
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

// before is the part of the model up to its middle tensor. Its expected output is that tensor in
// the whole model.
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

// behind is the part of the model after its middle tensor, fed with that tensor's value in the
// whole model.
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

// valueOf returns a tensor's value in a run of the whole model.
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

// fed returns the inputs of a part of a model, from the whole model's inputs and inner tensors.
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

// pruned returns the model with 2:4 sparse weights, and checks them.
func pruned(_ context.Context, s *subject) (*loaders.Model, error) {
	m, report, err := edit.Prune(s.model)
	if err != nil {
		return nil, err
	}
	sparsity, err := describe.Sparsity(m)
	if err != nil {
		return nil, err
	}
	done := 0
	for _, w := range report {
		if w.Kept != "" || w.Zeroed == 0 {
			continue
		}
		if done++; !slices.ContainsFunc(sparsity.Weights, func(s describe.WeightSparsity) bool {
			return s.Name == w.Name && s.Sparse
		}) {
			return nil, fmt.Errorf("weight %s is not 2:4 sparse", w.Name)
		}
	}
	if done == 0 {
		return nil, errNothing
	}
	return m, nil
}

// reconstructed returns the model with random weights instead of its own.
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
