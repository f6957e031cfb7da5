package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// CosineSimilarity passes if Σab / (√Σa²·√Σb²) ≥ limit. The similarity is 1 if both vectors are all
// zeros, and 0 if only one vector is. These numbers mean nothing, and neither does the similarity
// of vectors with one element. In all these cases, the check returns an error instead of passing.
// Sums are computed in float64 and scaled. In Polygraphy, large float32 values can overflow, and
// the check then passes wrongly.
func CosineSimilarity(limit float64) Check {
	return Check{rule: cosineSimilarity{atLeast{limited{limit}}}}
}

type cosineSimilarity struct{ atLeast }

func (l cosineSimilarity) name() string { return "cosine_similarity" }
func (l cosineSimilarity) text() string {
	return fmt.Sprintf("cosine similarity ≥ %s", figures.Exact(l.limit))
}

func (l cosineSimilarity) validate() error { return l.above(l.name(), -1, 1) }

func (l cosineSimilarity) measure(p pair, r *Result) error {
	m := p.moments()
	r.Value = m.cosine()
	switch {
	case p.n == 1:
		r.hollow = hollow(holdOtherwise, "the cosine of single elements depends only on their signs")
	case m.bb == 0:
		r.hollow = hollow(holdOtherwise, "the expected side is all zeros, so it has no direction")
	case m.aa == 0:
		r.hollow = hollow(holdOtherwise, "the actual side is all zeros, so it has no direction")
	}
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
	return max(-1, min(1, m.ab/a/b)) // Go's min and max return NaN for a NaN
}
