package compare

import (
	"fmt"
	"strings"
	"time"
)

// Timing says how long the inferences of a run took, one at a time, without warm-up. The timing is
// shown but does not affect the verdict, because a compared run is not a benchmark.
type Timing struct {
	Run        string  `json:"run"`        // the run's name
	Iterations int     `json:"iterations"` // the number of iterations whose time is known, at least 1
	Mean       float64 `json:"mean"`       // in seconds, like Min and Max
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`

	each   []time.Duration // by iteration; negative if the time is not known
	engine string          // the engine with its options, or "" if the run was read from a file
}

// TimingOf returns the timing of a run. engine describes the engine and its options; it is "" if
// they are unknown. A negative time means that the time is unknown; if all times are unknown, ok is
// false.
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

// details returns a line with the engine and its options, and a line for each iteration.
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

// String returns the timing in one line: "onnxrt: 3 iterations, mean 1.2 ms, 1.1 … 1.4 ms".
func (t Timing) String() string {
	if t.Iterations == 1 {
		return fmt.Sprintf("%s: 1 iteration, %.3g ms", t.Run, 1e3*t.Mean)
	}
	return fmt.Sprintf("%s: %d iterations, mean %.3g ms, %.3g … %.3g ms", t.Run, t.Iterations,
		1e3*t.Mean, 1e3*t.Min, 1e3*t.Max)
}
