package tract

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/tract"
)

// keptPlans is how many sets of input shapes a model stays ready for.
const keptPlans = 8

// plans are a model made ready for sets of input shapes.
type plans struct {
	library *abi.Library
	source  source
	options abi.Options

	mu     sync.Mutex
	recent []*plan // the last used one last
	users  int     // plans that are being made, and 1 until close
	closed bool
}

// plan is a model made ready for one set of shapes, or the reason why it is not.
type plan struct {
	key      string
	ready    chan struct{} // closed once the next two are set
	runnable *abi.Runnable
	err      error
}

func newPlans(library *abi.Library, from source, options abi.Options) *plans {
	return &plans{library: library, source: from, options: options, users: 1}
}

// get is the plan for inputs of these types and shapes, made if there is none. When ctx ends it
// returns at once; what is being made is kept for the next to ask.
func (p *plans) get(ctx context.Context, facts []abi.Fact) (*abi.Runnable, error) {
	wanted, dropped, err := p.find(fmt.Sprint(facts), facts)
	if err != nil {
		return nil, err
	}
	if dropped != nil {
		dropped.close()
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-wanted.ready:
	}
	return wanted.runnable, wanted.err
}

// find looks for a plan, or starts to make it. Where that is one too many, the one that was used
// the longest time ago is dropped.
func (p *plans) find(key string, facts []abi.Fact) (wanted, dropped *plan, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, backends.ErrClosed
	}
	i := slices.IndexFunc(p.recent, func(known *plan) bool { return known.key == key })
	if i >= 0 {
		wanted = p.recent[i]
		p.recent = append(slices.Delete(p.recent, i, i+1), wanted)
		return wanted, nil, nil
	}
	wanted = &plan{key: key, ready: make(chan struct{})}
	p.recent = append(p.recent, wanted)
	p.users++
	go p.make(wanted, facts)
	if len(p.recent) > keptPlans {
		dropped = p.recent[0]
		p.recent = slices.Delete(p.recent, 0, 1)
	}
	return wanted, dropped, nil
}

// make makes a plan ready.
func (p *plans) make(wanted *plan, facts []abi.Fact) {
	defer close(wanted.ready)
	defer p.leave() //nolint:errcheck // the plan is there all the same
	if wanted.err = p.source.unchanged(); wanted.err != nil {
		return
	}
	wanted.runnable, wanted.err = p.library.Prepare(p.source.Source, facts, p.options)
	if wanted.err != nil {
		wanted.err = explain(wanted.err)
	}
}

// leave takes a user away; the last one is done with the source.
func (p *plans) leave() error {
	p.mu.Lock()
	p.users--
	last := p.users == 0
	p.mu.Unlock()
	if !last {
		return nil
	}
	return p.source.done()
}

// open reports whether the plans are still to be had.
func (p *plans) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed
}

// close frees every plan, once it is ready and nothing runs it. It does not wait for that.
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

// close frees the plan, at once where it is ready.
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
