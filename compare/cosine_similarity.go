package compare

import (
	"fmt"
	"math"
)

// CosineSimilarity passes where Σab / (√Σa²·√Σb²) ≥ limit. Two zero vectors have similarity 1, one
// zero vector has 0. Sums are float64 and scaled, so that large float32 values do not overflow
// into a false pass as they do in Polygraphy.
func CosineSimilarity(limit float64) Check {
	return Check{rule: cosineSimilarity{atLeast{limited{limit}}}}
}

type cosineSimilarity struct{ atLeast }

func (l cosineSimilarity) name() string { return "cosine_similarity" }
func (l cosineSimilarity) text() string {
	return fmt.Sprintf("cosine similarity ≥ %s", number(l.limit))
}

func (l cosineSimilarity) validate() error { return l.notNaN(l.name()) }

func (l cosineSimilarity) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value = p.moments(workers).cosine()
	return nil
}

func (m moments) cosine() float64 {
	a, b := math.Sqrt(m.aa), math.Sqrt(m.bb)
	switch {
	case a == 0 && b == 0:
		return 1
	case a == 0 || b == 0:
		return 0
	}
	return max(-1, min(1, m.ab/a/b)) // Go's min and max let NaN win
}
