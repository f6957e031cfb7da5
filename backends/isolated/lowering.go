package isolated

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// lowers is an engine that may compute in a lower precision, but for what it is told.
type lowers interface {
	backends.KeepingEngine
	backends.LayeredEngine
}

// lowering is such an engine in a process of its own. This process asks it for its layers, which
// takes its parser; what builds and runs is in the other one.
type lowering struct{ engine }

var _ lowers = lowering{}

// wrapped is the engine with the methods that it has outside a process of its own.
func wrapped(e engine) backends.Engine {
	if _, ok := e.of.(lowers); ok {
		return lowering{e}
	}
	return e
}

// Layers are those of the engine.
func (e lowering) Layers(ctx context.Context, model fixtures.Declaration) ([]string, error) {
	return e.of.(backends.LayeredEngine).Layers(ctx, model)
}

// LayersOf are those of the engine.
func (e lowering) LayersOf(ctx context.Context, model fixtures.Declaration) ([][]string, error) {
	keeping, err := e.keeping()
	if err != nil {
		return nil, err
	}
	return keeping.LayersOf(ctx, model)
}

// Raising is the engine that computes layers in a type, in a process of its own.
func (e lowering) Raising(layers []string, elem tensor.ElementType) (backends.Engine, error) {
	of, err := e.of.(backends.LayeredEngine).Raising(layers, elem)
	if err != nil {
		return nil, err
	}
	return e.around(of), nil
}

// Saving is the engine that writes what it builds to a file, in a process of its own.
func (e lowering) Saving(path string) backends.LayeredEngine {
	e.of = e.of.(backends.LayeredEngine).Saving(path)
	return lowering{e.engine}
}

// Keeping is the engine with these layers in float32, in a process of its own.
func (e lowering) Keeping(layers []string) (backends.Engine, error) {
	keeping, err := e.keeping()
	if err != nil {
		return nil, err
	}
	of, err := keeping.Keeping(layers)
	if err != nil {
		return nil, err
	}
	return e.around(of), nil
}

// keeping is the engine, unless it is one to save that can be told nothing more.
func (e lowering) keeping() (backends.KeepingEngine, error) {
	keeping, ok := e.of.(backends.KeepingEngine)
	if !ok {
		return nil, fmt.Errorf("isolated: %v cannot be told to keep layers in float32", e.of)
	}
	return keeping, nil
}
