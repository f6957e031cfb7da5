package noise

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// Option configures [Measure] and [Of].
type Option func(*settingsOf)

// settingsOf collects the options.
type settingsOf struct {
	runs   int // 0 lets Measure choose the number
	seed   int64
	dir    string
	engine backends.Engine
	inside bool // leave out outputs whose spread cannot be computed
}

// Runs sets the number of runs; the minimum is 4. By default there are 8 runs. There are more, up
// to 64, if the limit of some output's root mean square error would otherwise exceed 8 σ.
func Runs(n int) Option { return func(s *settingsOf) { s.runs = n } }

// CacheIn sets the folder in which [Of] caches noise, overriding [CacheVariable].
func CacheIn(dir string) Option { return func(s *settingsOf) { s.dir = dir } }

// In sets the engine that measures the noise, instead of ONNX Runtime. The engine must be known to
// be correct and must compute in float32. The model is not rewritten for this engine: instead, each
// run moves the weights and inputs to neighbouring numbers.
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
