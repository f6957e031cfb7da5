package locate

import (
	"fmt"
	"sync"
	"time"
)

// Progress is how far a search is.
type Progress struct {
	Doing string        // "comparing tensors inside"
	Done  int           // tensors
	Of    int           // all of them; 0 where a step is not counted
	Took  time.Duration // since the search began
}

// String is one line: "comparing tensors inside: 40 of 160 tensors, 12s".
func (p Progress) String() string {
	text := p.Doing
	if p.Of > 0 {
		text += fmt.Sprintf(": %d of %d tensors", p.Done, p.Of)
	}
	return fmt.Sprintf("%s, %v", text, p.Took.Round(time.Second))
}

// tracker follows a search, for Options.Progress and for Ginkgo's progress reports, which ask for
// it from another goroutine.
type tracker struct {
	tell  func(Progress)
	began time.Time

	lock sync.Mutex
	now  Progress
}

// newTracker begins to follow a search; tell may be nil.
func newTracker(tell func(Progress)) *tracker { return &tracker{tell: tell, began: time.Now()} }

// doing begins a step that counts of tensors, or none.
func (t *tracker) doing(what string, of int) {
	t.change(func(p *Progress) { p.Doing, p.Done, p.Of = what, 0, of })
}

// done counts tensors of the step.
func (t *tracker) done(n int) { t.change(func(p *Progress) { p.Done += n }) }

func (t *tracker) change(f func(*Progress)) {
	t.lock.Lock()
	f(&t.now)
	now := t.at()
	t.lock.Unlock()
	if t.tell != nil {
		t.tell(now)
	}
}

// at is how far the search is.
func (t *tracker) at() Progress {
	now := t.now
	now.Took = time.Since(t.began)
	return now
}

// String is what a progress report shows.
func (t *tracker) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return "locating the first divergence: " + t.at().String()
}
