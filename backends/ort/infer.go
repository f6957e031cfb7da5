package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// InferShapes returns the model with the types and shapes that ONNX Runtime infers for the tensors
// of its graph, where the model does not declare them. Nothing else changes: ONNX Runtime loads the
// model without optimising it, and of what it writes then only the types are taken. Sizes that it
// does not know stay open.
//
// A model that ONNX Runtime does not load is an error.
func InferShapes(ctx context.Context, model *loaders.Model, options ...Option) (
	inferred *loaders.Model, err error) {
	s, err := kind.List(options...).Settings()
	if err != nil {
		return nil, err
	}
	nodes, err := model.Nodes()
	if err != nil || len(nodes) == 0 {
		return model, err
	}
	all, err := model.Select(loaders.Selection{All: true})
	if err != nil { // nothing but Constant nodes, which say their types
		return model, nil
	}
	marked, err := model.Mark(all...) // it writes the types of outputs only
	if err != nil {
		return nil, err
	}
	version, err := start(s.Library)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	o := s.session()
	o.Optimization, o.Written = 0, filepath.Join(folder, "model.onnx")
	o.Config = append(o.Config, onnxruntime.Setting{Key: writtenWeights, Value: weightsFile})
	session, err := load(marked, o)
	if err != nil {
		return nil, fmt.Errorf("onnxruntime %s: %s: infer shapes: %w", version, model.Name(),
			s.explain(model, err))
	}
	if err := session.Close(); err != nil {
		return nil, err
	}
	return model.DeclaredBy(loaders.ONNXStructure(o.Written))
}

// ObserveShapes returns the model with the types and shapes that the tensors of its graph have in a
// run on the first of these inputs, which are declared in place of what the model declares. Dynamic
// dimensions become static, those of the inputs and outputs too, so the model takes no other shapes
// then: it is for models whose shapes cannot be inferred. Tensors that an engine does not give out,
// such as sequences, stay as they are declared.
func ObserveShapes(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*loaders.Model, error) {
	all, err := model.Select(loaders.Selection{All: true})
	if err != nil { // nothing but Constant nodes, which say their types
		return model, nil
	}
	marked, err := model.Mark(all...)
	if err != nil {
		return nil, err
	}
	var first *tensor.Set
	for set, err := range inputs.All() {
		if err != nil {
			return nil, fmt.Errorf("observe shapes: %w", err)
		}
		first = set
		break
	}
	if first == nil {
		return nil, errors.New("observe shapes: the inputs have no iteration")
	}
	run, err := backends.RunIn(ctx, Engine(append(slices.Clone(options),
		OptimizationLevel(OptimizeNone))...), marked, fixtures.Of(first))
	if err != nil {
		return nil, fmt.Errorf("observe shapes: %w", err)
	}
	var seen []loaders.Value
	for _, set := range []*tensor.Set{first, run.Outputs()[0]} {
		for name, t := range set.All() {
			v := loaders.Value{Name: name, Kind: loaders.Tensor, Type: t.ElementType(), HasShape: true}
			for _, size := range t.Shape() {
				v.Dims = append(v.Dims, loaders.Dim{Size: size})
			}
			seen = append(seen, v)
		}
	}
	return model.WithDeclared(seen...)
}

// writtenWeights is the configuration entry with the file for the weights of a model that a session
// writes: a message holds less than 2 GiB.
const writtenWeights = "session.optimized_model_external_initializers_file_name"

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
// without those nodes. ONNX Runtime computes the values, without optimising, so in ONNX Runtime the
// model gives the very bits that it gave; its own optimiser would also fuse nodes, which rounds
// differently. Shapes that are known ahead count as weights. QuantizeLinear, DequantizeLinear and
// what makes random numbers stay. Where ONNX Runtime cannot compute a tensor, its nodes stay.
func FoldConstants(ctx context.Context, model *loaders.Model, f Folding, options ...Option) (
	*loaders.Model, error) {
	if err := Available(options...); err != nil {
		return nil, err
	}
	stays := map[string]bool{}
	for pass := 0; f.Passes == 0 || pass < f.Passes; pass++ {
		changed := false
		if !f.KeepShapes {
			inferred := model
			if pass == 0 || !f.InferOnce {
				var err error
				if inferred, err = InferShapes(ctx, model, options...); err != nil {
					return nil, err
				}
			}
			shapes, err := inferred.StaticShapes()
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
				if model, err = model.WithConstants(shapes...); err != nil {
					return nil, err
				}
			}
		}
		folded, done, err := fold(ctx, model, f, stays, options)
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
	options []Option) (*loaders.Model, bool, error) {
	for {
		names, err := model.Foldable(stays)
		if err != nil || len(names) == 0 {
			return model, false, err
		}
		values, err := computed(ctx, model, names, stays, options)
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
		folded, err := model.WithConstants(values...)
		return folded, true, err
	}
}

// computed are the values of tensors that depend on nothing. Those that ONNX Runtime cannot compute
// are found by halves, and noted in stays.
func computed(ctx context.Context, model *loaders.Model, names []string, stays map[string]bool,
	options []Option) ([]tensor.Entry, error) {
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
	all := append(append([]Option(nil), options...), OptimizationLevel(OptimizeNone))
	run, err := backends.RunIn(ctx, Engine(all...), part, fixtures.Of(empty))
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil && len(names) == 1:
		stays[names[0]] = true
		return nil, nil
	case err != nil:
		half := len(names) / 2
		first, err := computed(ctx, model, names[:half], stays, options)
		if err != nil {
			return nil, err
		}
		second, err := computed(ctx, model, names[half:], stays, options)
		return append(first, second...), err
	}
	var values []tensor.Entry
	for name, t := range run.Outputs()[0].All() {
		values = append(values, tensor.Entry{Name: name, Tensor: t})
	}
	return values, nil
}
