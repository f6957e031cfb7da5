package golden

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/internal/runfile"
)

// Spec is a running spec or test whose updates wait for its end: they are made if it passes, and
// discarded if it does not. A nil Spec is one of which nobody says how it ends.
type Spec struct {
	name    string
	chosen  []string // the flags that choose it
	mu      sync.Mutex
	pending []*Pending
	own     any // the match that has the file without a name
}

// current is the spec that runs in this process, where a runner says so.
var current atomic.Pointer[Spec]

// Begin says that the spec of that name starts; chosen are the flags that choose it among those of
// its package, for [AcceptCommand]. Runners call it that run one spec at a time, and [Spec.End]
// when it has ended; package report/ginkgoreport does for Ginkgo. Tests that run beside each other
// have [In].
func Begin(name string, chosen ...string) *Spec {
	s := &Spec{name: name, chosen: chosen}
	current.Store(s)
	return s
}

// Current is the spec between [Begin] and [Spec.End], or nil.
func Current() *Spec { return current.Load() }

// Name is what the spec is called, "" for a nil one.
func (s *Spec) Name() string {
	if s == nil {
		return ""
	}
	return s.name
}

// Chosen are the flags that choose the spec.
func (s *Spec) Chosen() []string {
	if s == nil {
		return nil
	}
	return s.chosen
}

// Stage keeps an update for the end of the spec. It is an error where the spec staged other outputs
// for the same file before.
func (s *Spec) Stage(p *Pending) error {
	if before := s.staged(p.change.Path); before != nil {
		if outputsSum(before.head) == outputsSum(p.head) || !p.Writes() {
			return nil
		}
		by := record{By: p.by()}
		return fmt.Errorf("golden: %w", contradiction(p.change.Path, by, by))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, p)
	return nil
}

// staged is the update of the file that writes it, or nil.
func (s *Spec) staged(path string) *Pending {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path = runfile.Unlinked(path)
	for _, p := range s.pending {
		if p.Writes() && runfile.Unlinked(p.change.Path) == path {
			return p
		}
	}
	return nil
}

// Discard forgets what was staged, as before another attempt of a spec that failed.
func (s *Spec) Discard() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = nil
}

// End makes the updates of a spec that passed, in order, and discards those of one that did not. It
// returns what was done, also where there is an error. In mode [Diff] a file that an update would
// write is an error: the spec does not hold as it is.
func (s *Spec) End(passed bool) (changes []Change, err error) {
	if s == nil {
		return nil, nil
	}
	current.CompareAndSwap(s, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pending {
		if !passed {
			break
		}
		change, problem := p.Commit()
		if problem == nil {
			changes = append(changes, change)
			problem = change.refusal()
		}
		err = errors.Join(err, problem)
	}
	s.pending = nil
	return changes, err
}

// T is the part of *testing.T that says how a test ended.
type T interface {
	Name() string
	Failed() bool
	Skipped() bool
	Cleanup(func())
	Errorf(format string, args ...any)
}

// tests are the specs of plain tests that run now, by their T.
var tests sync.Map

// In is the spec of a plain test. Its updates are made by the test's own clean-up, if it has not
// failed or been skipped by then; announce hears of each. One that cannot be made fails the test.
func In(t T, announce func(Change)) *Spec {
	fresh := &Spec{name: t.Name(), chosen: []string{OnlyTest(t.Name())}}
	if s, running := tests.LoadOrStore(t, fresh); running {
		return s.(*Spec)
	}
	t.Cleanup(func() {
		tests.Delete(t)
		changes, err := fresh.End(!t.Failed() && !t.Skipped())
		for _, change := range changes {
			announce(change)
		}
		if err != nil {
			t.Errorf("%v", err)
		}
	})
	return fresh
}
