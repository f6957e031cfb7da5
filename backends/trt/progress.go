//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/ginkgocontext"
)

// progress tracks the progress of a build, and cancels the build when the context ends.
type progress struct {
	ctx context.Context

	mu     sync.Mutex
	start  time.Time
	phases []*phase // phases in progress, outermost first
}

type phase struct {
	name        string
	step, steps int
}

// follow starts to track a build. The caller calls stop after the build.
func follow(ctx context.Context) (p *progress, stop func()) {
	p = &progress{ctx: ctx, start: time.Now()}
	return p, ginkgocontext.Attach(ctx, p.String)
}

// String returns the progress as one line: "TensorRT is building an engine for 12s: Building engine
// > Timing 3/40".
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := make([]string, len(p.phases))
	for i, phase := range p.phases {
		names[i] = fmt.Sprintf("%s %d/%d", phase.name, phase.step, phase.steps)
	}
	text := fmt.Sprintf("TensorRT is building an engine for %v",
		time.Since(p.start).Round(time.Second))
	if len(names) > 0 {
		text += ": " + strings.Join(names, " > ")
	}
	return text
}

// TensorRT calls PhaseStart, Step and PhaseFinish from its own threads.
func (p *progress) PhaseStart(name, _ string, steps int) {
	p.change(func() { p.phases = append(p.phases, &phase{name: name, steps: steps}) })
}

func (p *progress) Step(name string, step int) bool {
	p.change(func() {
		for _, phase := range p.phases {
			if phase.name == name {
				phase.step = step + 1
			}
		}
	})
	return p.ctx.Err() == nil
}

func (p *progress) PhaseFinish(name string) {
	p.change(func() {
		for i := len(p.phases) - 1; i >= 0; i-- {
			if p.phases[i].name == name {
				p.phases = append(p.phases[:i], p.phases[i+1:]...)
				return
			}
		}
	})
}

func (p *progress) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}
