package edit

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Engine provides the functions that edits need to optimise and run models. ort.EditEngine returns
// an Engine that uses ONNX Runtime.
type Engine struct {
	// Available returns nil, or the reason why the engine cannot run on this machine.
	Available func() error
	// Optimize returns the model as the engine optimises it, with the types and shapes that the
	// engine infers for the model's outputs.
	Optimize func(ctx context.Context, model *loaders.Model) (*loaders.Model, error)
	// Run runs the model once, without optimising it.
	Run func(ctx context.Context, model *loaders.Model, inputs *tensor.Set) (*tensor.Set, error)
}

// InferShapes returns the model with missing types and shapes of its graph's tensors filled in by
// the engine. Nothing else changes: the engine's optimisations are discarded. Sizes that the engine
// cannot infer stay unknown.
//
// It is an error if the engine cannot load the model.
func InferShapes(ctx context.Context, model *loaders.Model, engine Engine) (*loaders.Model,
	error) {
	nodes, err := model.Nodes()
	if err != nil || len(nodes) == 0 {
		return model, err
	}
	marked, err := markAll(model)
	if err != nil || marked == nil {
		return model, err
	}
	written, err := engine.Optimize(ctx, marked)
	if err != nil {
		return nil, fmt.Errorf("%s: infer shapes: %w", model.Name(), err)
	}
	return declaredBy(model, written)
}

// markAll makes every tensor an output, because engines do not report the types of other tensors.
// It returns nil if the graph has only Constant nodes, whose types are known.
func markAll(model *loaders.Model) (*loaders.Model, error) {
	all, err := model.Select(loaders.Selection{All: true})
	if err != nil {
		return nil, nil
	}
	return model.Mark(all...)
}

// ObserveShapes returns the model with the types and shapes that occur in a run on the given
// inputs, instead of the declared ones. All dynamic dimensions become static, also in inputs and
// outputs, so the result accepts no other shapes: use it for models whose shapes cannot be
// inferred. Values that the engine cannot return, such as sequences, keep their declarations.
func ObserveShapes(ctx context.Context, model *loaders.Model, inputs *tensor.Set,
	engine Engine) (*loaders.Model, error) {
	marked, err := markAll(model)
	if err != nil || marked == nil {
		return model, err
	}
	outputs, err := engine.Run(ctx, marked, inputs)
	if err != nil {
		return nil, fmt.Errorf("observe shapes: %w", err)
	}
	// A run returns what is in an optional, and the parts of a sequence. Only inference tells which
	// tensors are optionals.
	if inferred, err := InferShapes(ctx, model, engine); err == nil {
		model = inferred
	}
	names, err := model.TensorNames()
	if err != nil {
		return nil, err
	}
	var seen []loaders.Value
	for _, set := range []*tensor.Set{inputs, outputs} {
		for name, t := range set.All() {
			if !names[name] {
				continue
			}
			v := loaders.Value{Name: name, Kind: loaders.Tensor, Type: t.ElementType(), HasShape: true}
			for _, size := range t.Shape() {
				v.Dims = append(v.Dims, loaders.Dim{Size: size})
			}
			seen = append(seen, v)
		}
	}
	return withDeclared(model, seen...)
}
