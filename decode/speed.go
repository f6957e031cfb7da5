package decode

import (
	"fmt"
	"time"

	"github.com/modelparity/modelparity/backends"
)

// Speed is the number of tokens in a run, over all sequences, and the time spent on them.
type Speed struct {
	Tokens int
	Took   time.Duration // in the engine; 0 if unknown
}

// SpeedOf measures a decoder's run. Runs of other models have no tokens.
func SpeedOf(run *backends.Run) Speed {
	var s Speed
	for _, i := range run.Iterations() {
		tokens, ok := i.Outputs.Get("tokens")
		if !ok {
			continue
		}
		for k := range tokens.Len() {
			if tokens.Float64At(k) >= 0 {
				s.Tokens++
			}
		}
		s.Took += max(i.Runtime, 0)
	}
	return s
}

// String formats the speed: "24 tokens, 5210 tokens per second".
func (s Speed) String() string {
	if s.Took <= 0 {
		return fmt.Sprintf("%d tokens", s.Tokens)
	}
	return fmt.Sprintf("%d tokens, %.0f tokens per second", s.Tokens,
		float64(s.Tokens)/s.Took.Seconds())
}
