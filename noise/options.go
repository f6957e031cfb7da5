package noise

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// Option configures [Measure] and [Of].
type Option func(*settingsOf)

// settingsOf collects the options.
type settingsOf struct {
	runs   int   // 0: as many as the bars need
	seed   int64 // of the random orders and errors: equal ones give equal runs
	dir    string
	engine backends.Engine
}

// Runs sets how many runs are measured; the minimum is 4. The default is 8, and more, up to 64,
// until the bar of every output is at most 8 σ.
func Runs(n int) Option { return func(s *settingsOf) { s.runs = n } }

// CacheIn sets the folder in which [Of] caches noise, overriding [CacheVariable].
func CacheIn(dir string) Option { return func(s *settingsOf) { s.dir = dir } }

// In names the engine that measures, instead of ONNX Runtime. It must be known to be right and
// compute in float32. The model is not rewritten for it: weights and inputs move instead.
func In(engine backends.Engine) Option { return func(s *settingsOf) { s.engine = engine } }

const leastRuns = 4

func optionsOf(options []Option) (settingsOf, error) {
	s := settingsOf{seed: 1}
	for _, o := range options {
		o(&s)
	}
	if s.runs != 0 && s.runs < leastRuns {
		return s, fmt.Errorf("noise: Runs(%d): a spread needs %d runs or more", s.runs, leastRuns)
	}
	return s, nil
}
