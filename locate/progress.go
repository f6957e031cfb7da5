package locate

import (
	"fmt"
	"sync"
	"time"
)

// Progress describes how far a search has advanced.
type Progress struct {
	Doing string        // the current step, such as "comparing inner tensors"
	Done  int           // number of tensors compared so far
	Of    int           // number of all tensors; 0 if the step does not count them
	Took  time.Duration // time since the search began
}

// String describes the progress in one line, such as "comparing inner tensors: 40 of 160 tensors,
// 12s".
func (p Progress) String() string {
	text := p.Doing
	if p.Of > 0 {
		text += fmt.Sprintf(": %d of %d tensors", p.Done, p.Of)
	}
	return fmt.Sprintf("%s, %v", text, p.Took.Round(time.Second))
}

// tracker records the progress of a search and passes it to Options.Progress. Ginkgo's progress
// reports read it from a different goroutine.
type tracker struct {
	tell  func(Progress) // if not nil, called after every change
	began time.Time

	lock sync.Mutex
	now  Progress
}

// doing records that a step begins. total is the number of tensors that the step works on, or 0 if
// the step does not count tensors.
func (t *tracker) doing(step string, total int) {
	t.change(func(p *Progress) { p.Doing, p.Done, p.Of = step, 0, total })
}

// done records that n more tensors are finished.
func (t *tracker) done(n int) { t.change(func(p *Progress) { p.Done += n }) }

func (t *tracker) change(f func(*Progress)) {
	t.lock.Lock()
	f(&t.now)
	t.now.Took = time.Since(t.began)
	now := t.now
	t.lock.Unlock()
	if t.tell != nil {
		t.tell(now)
	}
}

// String returns the progress as text for a Ginkgo progress report.
func (t *tracker) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.now.Took = time.Since(t.began)
	return "locating the first divergence: " + t.now.String()
}
