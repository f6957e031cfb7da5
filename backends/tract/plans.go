package tract

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// keptPlans is the largest number of plans that are kept for a model.
const keptPlans = 8

// plans is a model prepared for several sets of input shapes.
type plans struct {
	library *abi.Library
	source  source
	options abi.Options
	inputs  []loaders.Value
	bare    func() (source, error) // the model without declared shapes inside

	mu     sync.Mutex
	recent []*plan // the most recently used last
	bared  *source // the result of bare, once a plan needed it
	users  int     // plans being prepared, plus 1 until close
	closed bool
}

// plan is a model prepared for one set of shapes, or the error from preparing it.
type plan struct {
	key      string
	fed      []int         // indices of its inputs; the others are constants
	ready    chan struct{} // closed once the next two fields are set
	runnable *abi.Runnable
	err      error
}

func newPlans(library *abi.Library, model *loaders.Model, inputs []loaders.Value,
	options abi.Options) (*plans, error) {
	from, err := sourceOf(model)
	return &plans{library: library, source: from, inputs: inputs, options: options, users: 1,
		bare: sync.OnceValues(func() (source, error) {
			bare, err := model.File().WithoutValueInfo()
			if err != nil {
				return source{}, err
			}
			return sourceOf(loaders.FromFile(bare))
		})}, err
}

// get returns the plan for inputs of the wanted types and shapes, and prepares it if there is none.
// If an operator needs the values of inputs before the run, the plan is valid only for these
// values. If ctx ends, get returns at once; the plan is still prepared, and is kept for later
// calls.
func (p *plans) get(ctx context.Context, w wanted) (*plan, error) {
	found, err := p.wait(ctx, w)
	for _, constant := range constants {
		if err != nil || !needsConstant(found.err) || len(p.source.Data) == 0 {
			break
		}
		if fixed, ok := w.fix(p.inputs, constant); ok {
			found, err = p.wait(ctx, fixed)
		}
	}
	if err != nil {
		return nil, err
	}
	return found, found.err
}

// wait returns the plan once it is ready.
func (p *plans) wait(ctx context.Context, w wanted) (*plan, error) {
	found, dropped, err := p.find(w)
	if err != nil {
		return nil, err
	}
	if dropped != nil {
		dropped.close()
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-found.ready:
		return found, nil
	}
}

// find returns the wanted plan, which may still be in preparation, and starts to prepare it if
// there is none. If there are then too many plans, find drops the least recently used one.
func (p *plans) find(w wanted) (found, dropped *plan, err error) {
	key := w.key()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, backends.ErrClosed
	}
	i := slices.IndexFunc(p.recent, func(known *plan) bool { return known.key == key })
	if i >= 0 {
		found = p.recent[i]
		p.recent = append(slices.Delete(p.recent, i, i+1), found)
		return found, nil, nil
	}
	found = &plan{key: key, fed: w.fed, ready: make(chan struct{})}
	p.recent = append(p.recent, found)
	p.users++
	go p.make(found, w)
	if len(p.recent) > keptPlans {
		dropped = p.recent[0]
		p.recent = slices.Delete(p.recent, 0, 1)
	}
	return found, dropped, nil
}

func (p *plans) make(found *plan, w wanted) {
	defer close(found.ready)
	defer p.leave() //nolint:errcheck // the plan is valid even if closing the source fails
	if found.err = p.source.unchanged(); found.err != nil {
		return
	}
	from := p.source
	if p.ignoresShapes() {
		from = *p.bared
	}
	found.runnable, found.err = p.library.Prepare(from.with(w.initializers), w.fedFacts(), p.options)
	if !p.ignoresShapes() && abi.IsSymbolConflict(found.err) {
		if from, found.err = p.bare(); found.err != nil {
			return
		}
		p.mu.Lock()
		p.bared = &from
		p.mu.Unlock()
		found.runnable, found.err = p.library.Prepare(from.with(w.initializers), w.fedFacts(), p.options)
	}
	if found.err != nil {
		found.err = explain(found.err)
	}
}

// ignoresShapes reports whether tract has rejected the shapes that the model declares for tensors
// inside it. Plans are then prepared without these shapes, and tract infers them.
func (p *plans) ignoresShapes() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bared != nil
}

// leave decrements the number of users; the last user frees the sources.
func (p *plans) leave() error {
	p.mu.Lock()
	p.users--
	last, bared := p.users == 0, p.bared
	p.mu.Unlock()
	switch {
	case !last:
		return nil
	case bared != nil:
		return errors.Join(p.source.done(), bared.done())
	}
	return p.source.done()
}

// open reports whether the plans can still be used.
func (p *plans) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed
}

// close frees every plan that is ready and not in use. The others are freed later; close does not
// wait for them.
func (p *plans) close() error {
	p.mu.Lock()
	closed, recent := p.closed, p.recent
	p.closed, p.recent = true, nil
	p.mu.Unlock()
	if closed {
		return nil
	}
	for _, ready := range recent {
		ready.close()
	}
	return p.leave()
}

// close frees the plan at once if it is ready, and otherwise as soon as it is.
func (p *plan) close() {
	free := func() {
		if p.runnable != nil {
			p.runnable.Close()
		}
	}
	select {
	case <-p.ready:
		free()
	default:
		go func() {
			<-p.ready
			free()
		}()
	}
}

func (p *plans) kept() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.recent)
}
