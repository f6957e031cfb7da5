package compare

import (
	"fmt"
	"strings"
	"time"
)

// Timing is how long the inferences of a run took, one at a time, without warm-up. It is shown and
// never judged: a run that is compared is not a benchmark.
type Timing struct {
	Run        string  `json:"run"`        // the run's name
	Iterations int     `json:"iterations"` // whose time is known, at least 1
	Mean       float64 `json:"mean"`       // in seconds, as are the others
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`

	each   []time.Duration // negative where it is not known
	engine string          // with its options, "" where the run was read
}

// TimingOf is the timing of a run, in an engine with its options, "" if unknown. A negative time is
// one that is not known; without any that is known there is no timing.
func TimingOf(run, engine string, times []time.Duration) (t Timing, ok bool) {
	t = Timing{Run: run, each: times, engine: engine}
	for _, took := range times {
		if took < 0 {
			continue
		}
		s := took.Seconds()
		if t.Iterations == 0 {
			t.Min = s
		}
		t.Iterations++
		t.Mean, t.Min, t.Max = t.Mean+s, min(t.Min, s), max(t.Max, s)
	}
	t.Mean /= float64(max(t.Iterations, 1))
	return t, t.Iterations > 0
}

// details are the engine with its options, and a line for each iteration.
func (t Timing) details() string {
	var b strings.Builder
	if t.engine != "" {
		fmt.Fprintf(&b, "run: %s: %s\n", t.Run, t.engine)
	}
	for i, took := range t.each {
		if took >= 0 {
			fmt.Fprintf(&b, "time: %s: iteration %d, %.3g ms\n", t.Run, i, 1e3*took.Seconds())
		}
	}
	return b.String()
}

// String is the timing in one line: "onnxrt: 3 iterations, mean 1.2 ms, 1.1 … 1.4 ms".
func (t Timing) String() string {
	if t.Iterations == 1 {
		return fmt.Sprintf("%s: 1 iteration, %.3g ms", t.Run, 1e3*t.Mean)
	}
	return fmt.Sprintf("%s: %d iterations, mean %.3g ms, %.3g … %.3g ms", t.Run, t.Iterations,
		1e3*t.Mean, 1e3*t.Min, 1e3*t.Max)
}
