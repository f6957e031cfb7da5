package golden

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Spec is a running spec or test. Its staged updates are written when it passes, and discarded when
// it fails. A nil *Spec means that no test runner has announced a spec, so its end cannot be
// observed.
type Spec struct {
	Chosen []string // the go test flags that select the spec within its package

	name    string
	mu      sync.Mutex
	pending []*Pending
	own     any // the matcher that uses the file named after the spec
}

// current is the running spec of this process, or nil if the test runner has not announced one with
// [Begin].
var current atomic.Pointer[Spec]

// Begin announces the start of a spec with the given name. chosen contains the flags that select
// the spec within its package, for messages. Test runners that run one spec at a time call Begin
// before each spec and [Spec.End] after it; package report/ginkgoreport does so for Ginkgo.
// Parallel tests use [In].
func Begin(name string, chosen ...string) *Spec {
	s := &Spec{name: name, Chosen: chosen}
	current.Store(s)
	return s
}

// Current returns the spec that [Begin] announced and that has not ended, or nil.
func Current() *Spec { return current.Load() }

// text returns the spec's name, or "" for a nil Spec.
func (s *Spec) text() string {
	if s == nil {
		return ""
	}
	return s.name
}

// Stage keeps an update until the end of the spec, when [Spec.End] writes it. It returns an error
// if the spec has already staged different outputs for the same file.
func (s *Spec) Stage(p *Pending) error {
	if before := s.staged(p.Change.Path); before != nil {
		if outputsSum(before.head) == outputsSum(p.head) || !p.writes() {
			return nil
		}
		by := record{By: p.by()}
		return fmt.Errorf("golden: %w", contradiction(p.Change.Path, by, by))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, p)
	return nil
}

// staged returns the staged update that would write the file at path, or nil if there is none.
func (s *Spec) staged(path string) *Pending {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path = wholefile.Unlinked(path)
	for _, p := range s.pending {
		if p.writes() && wholefile.Unlinked(p.Change.Path) == path {
			return p
		}
	}
	return nil
}

// End writes the updates of a passed spec in order, or discards a failed spec's updates. It returns
// the changes made, even if it also returns an error. In mode [Diff] it returns an error for each
// file that an update would write, since the spec does not match the file as it is.
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

// T is the part of [testing.T] that golden updates use.
type T interface {
	Name() string
	Failed() bool
	Skipped() bool
	Cleanup(func())
	Errorf(format string, args ...any)
}

// tests maps the T of each running plain test to the test's *Spec.
var tests sync.Map

// In returns the spec of a plain test. When the test ends, its updates are written and each change
// is passed to announce, unless the test failed or was skipped. If an update fails, the test fails.
func In(t T, announce func(Change)) *Spec {
	fresh := &Spec{name: t.Name(), Chosen: []string{goldentree.OnlyTest(t.Name())}}
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
