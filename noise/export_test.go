package noise

import (
	"context"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Trusted checks a model's matrix multiplications and convolutions in an engine, and returns how
// many it checked.
func Trusted(ctx context.Context, subject backends.Subject, engine backends.Engine) (int, error) {
	m, err := newMeter(ctx, subject, engine)
	if err != nil {
		return 0, err
	}
	defer m.forget()
	return m.trusted(ctx)
}

// Seed selects other random orders and errors.
func Seed(seed int64) Option { return func(s *settingsOf) { s.seed = seed } }

// TextAfter is the text of noise that took some time to measure.
func (r *Reference) TextAfter(took time.Duration, bars compare.Bars) string {
	r.took = took
	return r.Text(bars)
}

// Drowned returns an error if an output's noise is as large as the spread of its values.
func Drowned(o compare.OutputNoise, outputs *tensor.Set) error { return drowned(&o, outputs) }
