// Package gpuqueue lets the processes that use one GPU take turns. `go test ./...` runs packages
// side by side, and each of them may want most of the GPU's memory.
//
// It works where MODELPARITY_GPU_MEMORY says how much a process counts for. Processes queue in the
// order in which they came, and as many are let in as fit the GPU's memory. A place is a locked
// file, so it ends with its process however that ends.
package gpuqueue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/ginkgocontext"
)

// Variable is how much of a GPU's memory a process counts for: bytes, with K, M or G for powers of
// 1024, or "all". Without it nobody queues.
const Variable = "MODELPARITY_GPU_MEMORY"

// familyVariable names a process and all that it starts. They count as one: a spec that holds a GPU
// may wait for a program that it started, so the program must not wait for the spec.
const familyVariable = "MODELPARITY_GPU_FAMILY"

func init() {
	if os.Getenv(Variable) != "" && os.Getenv(familyVariable) == "" {
		_ = os.Setenv(familyVariable, rand.Text()) // else children queue by themselves
	}
}

// On says whether processes queue.
func On() bool { return os.Getenv(Variable) != "" }

// Wait is one wait of this process for a GPU.
type Wait struct {
	GPU    string        `json:"gpu"`
	Waited time.Duration `json:"waited"` // nanoseconds
}

// String is what people are shown.
func (w Wait) String() string {
	return fmt.Sprintf("waited %s for GPU %s", w.Waited.Round(time.Millisecond), w.GPU)
}

// Place is the right to use a GPU. The nil Place is that of a process that need not queue.
type Place struct {
	gpu  string
	once sync.Once
}

// held are the places of this process, by GPU.
var (
	mu    sync.Mutex
	held  = map[string]*entry{}
	waits []Wait
)

// entry is a GPU that this process uses, or waits for.
type entry struct {
	users  int
	ticket *ticket
	ready  chan struct{} // closed once err is known
	err    error
}

// Take waits until this process may use a GPU of that much memory, and gives its place, which the
// caller releases. A process has one place on a GPU, whatever it opens there.
//
// A process that has a place on one GPU does not wait for another, since two could wait for each
// other; nor does one that belongs to a process with a place.
func Take(ctx context.Context, gpu string, total int64) (*Place, error) {
	text := os.Getenv(Variable)
	if text == "" {
		return nil, nil
	}
	need, ok := budget.Bytes(text)
	if text == "all" {
		need, ok = total, true
	}
	if !ok {
		return nil, fmt.Errorf("%s=%s: want bytes such as 8G, or all", Variable, text)
	}
	mu.Lock()
	e := held[gpu]
	first := e == nil
	if first {
		e = &entry{ready: make(chan struct{})}
		held[gpu] = e
	}
	e.users++
	elsewhere := len(held) > 1
	mu.Unlock()
	place := &Place{gpu: gpu}
	if first {
		start := time.Now()
		e.ticket, e.err = enter(ctx, gpu, min(need, total), total, elsewhere)
		if waited := time.Since(start); e.err == nil && e.ticket.waited {
			mu.Lock()
			waits = append(waits, Wait{gpu, waited})
			mu.Unlock()
		}
		close(e.ready)
	}
	if !first {
		select {
		case <-e.ready:
		case <-ctx.Done():
			place.Release()
			return nil, context.Cause(ctx)
		}
	}
	if e.err != nil {
		place.Release()
		if !first && ctx.Err() == nil && errors.Is(e.err, errGaveUp) {
			return Take(ctx, gpu, total) // another caller of this process stopped waiting
		}
		return nil, fmt.Errorf("%s: %w", Variable, e.err)
	}
	return place, nil
}

// Release gives the place back. Releasing twice, or a nil place, is harmless.
func (p *Place) Release() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		mu.Lock()
		defer mu.Unlock()
		e := held[p.gpu]
		if e.users--; e.users > 0 {
			return
		}
		delete(held, p.gpu)
		if e.ticket != nil {
			e.ticket.leave()
		}
	})
}

// TakeWaits gives the waits since the last call.
func TakeWaits() []Wait {
	mu.Lock()
	defer mu.Unlock()
	all := waits
	waits = nil
	return all
}

// Name is the number of a GPU on this machine, or its identifier, where CUDA_VISIBLE_DEVICES
// renumbers them.
func Name(ordinal int) string {
	visible := strings.Split(os.Getenv("CUDA_VISIBLE_DEVICES"), ",")
	if ordinal < len(visible) && visible[ordinal] != "" {
		return strings.TrimSpace(visible[ordinal])
	}
	return fmt.Sprint(ordinal)
}

var errGaveUp = errors.New("gave up waiting")

// enter joins the queue and waits for its turn.
func enter(ctx context.Context, gpu string, need, total int64, elsewhere bool) (*ticket, error) {
	q, err := openQueue(gpu)
	if err != nil {
		return nil, err
	}
	t, err := q.join(need, elsewhere)
	if err != nil {
		return nil, err
	}
	ahead := 0
	detach := ginkgocontext.Attach(ctx, func() string {
		return fmt.Sprintf("waits for GPU %s with %d processes ahead of it", gpu, ahead)
	})
	defer detach()
	pause := 5 * time.Millisecond
	for {
		in, n, err := q.admit(t, total)
		if in || err != nil {
			if err != nil {
				t.leave()
			}
			return t, err
		}
		ahead, t.waited = n, true
		select {
		case <-ctx.Done():
			t.leave()
			return nil, fmt.Errorf("%w for GPU %s with %d processes ahead: %w", errGaveUp, gpu, n,
				context.Cause(ctx))
		case <-time.After(pause):
			pause = min(2*pause, 200*time.Millisecond)
		}
	}
}
