//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/ginkgocontext"
)

// progress tracks the progress of a build, and cancels the build when the context ends.
type progress struct {
	ctx context.Context

	mu    sync.Mutex
	start time.Time
	steps map[string]int // the number of steps of each phase
	last  string         // the last step
}

// follow starts to track a build. The caller calls stop after the build.
func follow(ctx context.Context) (p *progress, stop func()) {
	p = &progress{ctx: ctx, start: time.Now(), steps: map[string]int{}}
	return p, ginkgocontext.Attach(ctx, p.String)
}

// String returns the progress as one line: "TensorRT has been building an engine for 12s: Timing
// 3/40".
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("TensorRT has been building an engine for %v%s",
		time.Since(p.start).Round(time.Second), p.last)
}

// TensorRT calls PhaseStart and Step from its own threads.
func (p *progress) PhaseStart(name string, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps[name] = steps
}

func (p *progress) Step(name string, step int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = fmt.Sprintf(": %s %d/%d", name, step+1, p.steps[name])
	return p.ctx.Err() == nil
}
