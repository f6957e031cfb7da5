package tract

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/backends/internal/prepared"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// plans is a model prepared for several sets of input shapes. Several backends may use it.
type plans struct {
	prepared.Models[*plan]
	library *abi.Library
	source  source
	half    bool // compute in float16
	inputs  []loaders.Value
	bare    func() (source, error) // the model without the shapes of intermediate tensors
	bared   atomic.Pointer[source] // the result of bare, once a plan has needed it
}

// plan is a model prepared for one set of shapes.
type plan struct {
	*abi.Runnable
	fed []int // indices of its inputs; the others are constants
}

func newPlans(library *abi.Library, model *loaders.Model, inputs []loaders.Value,
	half bool) (*plans, error) {
	from, err := sourceOf(model)
	p := &plans{library: library, source: from, inputs: inputs, half: half,
		bare: sync.OnceValues(func() (source, error) {
			bare, err := model.File().WithoutValueInfo()
			if err != nil {
				return source{}, err
			}
			return sourceOf(loaders.FromFile(bare))
		})}
	p.Preparing.Free = func() error {
		if bared := p.bared.Load(); bared != nil {
			return errors.Join(p.source.done(), bared.done())
		}
		return p.source.done()
	}
	return p, err
}

// get returns the plan for inputs of the wanted types and shapes, and prepares it if there is none.
// If an operator must know the values of some inputs before the run, the plan is valid only for
// these values.
func (p *plans) get(ctx context.Context, w wanted) (*plan, error) {
	found, err := p.prepared(ctx, w)
	for _, constant := range constants {
		if !needsConstant(err) || len(p.source.Data) == 0 {
			break
		}
		if fixed, ok := w.withConstants(p.inputs, constant); ok {
			found, err = p.prepared(ctx, fixed)
		}
	}
	return found, err
}

// prepared returns the plan for the wanted inputs and constants, and prepares it if there is none.
func (p *plans) prepared(ctx context.Context, w wanted) (*plan, error) {
	return p.Get(ctx, w.key(), func() (*plan, error) {
		runnable, err := p.prepare(w)
		return &plan{runnable, w.fed}, explain(err)
	})
}

func (p *plans) prepare(w wanted) (*abi.Runnable, error) {
	from := p.source
	if bared := p.bared.Load(); bared != nil {
		from = *bared
	}
	runnable, err := p.library.Prepare(from.with(w.initializers), at(w.facts, w.fed), p.half)
	if !abi.IsSymbolConflict(err) || p.ignoresShapes() {
		return runnable, err
	}
	bared, err := p.bare()
	if err != nil {
		return nil, err
	}
	p.bared.Store(&bared)
	return p.prepare(w)
}

// ignoresShapes reports whether tract has rejected the shapes that the model declares for its
// intermediate tensors. Plans are then prepared without these shapes, and tract infers them.
func (p *plans) ignoresShapes() bool { return p.bared.Load() != nil }
