package noise

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// Option configures [Measure] and [Of].
type Option func(*settingsOf)

// settingsOf contains the values that the options of [Measure] and [Of] set.
type settingsOf struct {
	runs   int // 0 lets Measure choose the number
	seed   int64
	dir    string
	engine backends.Engine
	inside bool // leave out outputs whose noise cannot be computed
}

// Runs sets the number of runs to n, which must be at least 4. Without this option, a measurement
// starts with 8 runs and doubles them, up to 64. It stops before 64 if every limit is at most 8
// times the noise σ of its output, or if the outputs of more runs would take too much memory. More
// runs lower the limits that [compare.WithinNoise] sets for the root mean square errors of the
// outputs.
func Runs(n int) Option { return func(s *settingsOf) { s.runs = n } }

// CacheIn sets the folder in which [Of] caches noise, overriding [CacheVariable].
func CacheIn(dir string) Option { return func(s *settingsOf) { s.dir = dir } }

// In measures the noise in the given engine instead of ONNX Runtime. The engine must be known to be
// correct and must compute in float32. In this engine, sums are not reordered: each run moves the
// weights and inputs to neighbouring numbers instead. A nil engine stands for ONNX Runtime.
func In(engine backends.Engine) Option { return func(s *settingsOf) { s.engine = engine } }

const leastRuns = 4

func optionsOf(options []Option) (settingsOf, error) {
	s := settingsOf{seed: 1}
	for _, o := range options {
		o(&s)
	}
	if s.runs != 0 && s.runs < leastRuns {
		return s, fmt.Errorf("noise: Runs(%d): measuring noise needs %d runs or more", s.runs, leastRuns)
	}
	return s, nil
}
