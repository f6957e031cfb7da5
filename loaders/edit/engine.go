package edit

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Engine is what some changes need of an engine; ort.EditEngine makes one of ONNX Runtime.
type Engine struct {
	// Available says why the engine cannot run here, or nil.
	Available func() error
	// Optimize gives the model as the engine writes it: with the types and shapes that it infers of
	// the model's outputs.
	Optimize func(ctx context.Context, model *loaders.Model) (*loaders.Model, error)
	// Run runs the model once, without optimising it.
	Run func(ctx context.Context, model *loaders.Model, inputs *tensor.Set) (*tensor.Set, error)
}

// InferShapes returns the model with the types and shapes that the engine infers for the tensors of
// its graph, where the model does not declare them. Nothing else changes: of what the engine writes
// only the types are taken. Sizes that it does not know stay open.
//
// A model that the engine does not load is an error.
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
	return DeclaredBy(model, written)
}

// markAll makes every tensor an output, because engines write the types of outputs only. It is nil
// if there are only Constant nodes, which say their types.
func markAll(model *loaders.Model) (*loaders.Model, error) {
	all, err := model.Select(loaders.Selection{All: true})
	if err != nil {
		return nil, nil
	}
	return model.Mark(all...)
}

// ObserveShapes returns the model with the types and shapes that the tensors of its graph have in a
// run on these inputs, instead of what the model declares. Dynamic dimensions become static, in the
// inputs and outputs too, so the model then takes no other shapes: it is for models whose shapes
// cannot be inferred. Tensors that an engine does not give out, such as
// sequences, stay as they are declared.
func ObserveShapes(ctx context.Context, model *loaders.Model, inputs *tensor.Set,
	engine Engine) (*loaders.Model, error) {
	marked, err := markAll(model)
	if err != nil {
		return nil, err
	}
	if marked == nil {
		return model, nil
	}
	outputs, err := engine.Run(ctx, marked, inputs)
	if err != nil {
		return nil, fmt.Errorf("observe shapes: %w", err)
	}
	var seen []loaders.Value
	for _, set := range []*tensor.Set{inputs, outputs} {
		for name, t := range set.All() {
			v := loaders.Value{Name: name, Kind: loaders.Tensor, Type: t.ElementType(), HasShape: true}
			for _, size := range t.Shape() {
				v.Dims = append(v.Dims, loaders.Dim{Size: size})
			}
			seen = append(seen, v)
		}
	}
	return withDeclared(model, seen...)
}
