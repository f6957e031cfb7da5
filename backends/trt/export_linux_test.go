//go:build linux && cgo

package trt

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// The names of environment variables.
const (
	LibraryVariable = libraryVariable
	CacheVariable   = cacheVariable
)

// Backend is what opening an engine or a plan returns.
type Backend = backend

// New opens an engine.
func New(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*Backend, error) {
	o, err := engine{List: engines.List(options...)}.order(model, inputs)
	if err != nil {
		return nil, err
	}
	return build(ctx, o)
}

// Load opens a plan.
func Load(path string, options ...Option) (*Backend, error) {
	plan := Plan(path, options...)
	b, err := plan.Open(context.Background(), plan, fixtures.Inputs{})
	if err != nil {
		return nil, err
	}
	return b.(*Backend), nil
}

// Save writes the plan from which the engine runs.
func (b *backend) Save(path string) error { return wholefile.WriteBytes(path, b.plan) }

// Information describes the engine.
func (b *backend) Information() (Information, error) { return b.describe() }

// RunWithTensors runs the engine with its capability.
func (b *backend) RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (
	*backends.Run, error) {
	return runWithTensors(ctx, b, inputs, names)
}

// Leaked is how many bytes of the device's memory are in use.
func (b *backend) Leaked() int64 {
	free, total, err := b.device.Memory()
	if err != nil {
		panic(err)
	}
	return total - free
}

// DropBuilders deletes the builders that the process keeps.
func DropBuilders() {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	for m, builder := range idle.builders {
		_ = m.device.Do(func() error {
			builder.Delete()
			return nil
		})
	}
	clear(idle.builders)
}

// Typed is typed with one tensor inside.
func Typed(outputs *tensor.Set, name string, elem tensor.ElementType) (*tensor.Set, error) {
	return typed(outputs, []shown{{Name: name, Type: elem}})
}
