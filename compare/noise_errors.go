package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// noiseErrors summarises the errors of some elements of one output.
type noiseErrors struct {
	n      int // the number of elements compared as finite numbers
	at     int // the element with the largest error, in σ; −1 without elements
	differ int // the number of elements that must be equal but differ

	squares   float64 // the sum of the squared errors
	variances float64 // the sum of σ² over the same elements
	greatest  float64 // the square of the largest error, in σ²
}

// rms returns the root mean square of the errors, in σ.
func (e *noiseErrors) rms() float64 { return math.Sqrt(ratio(e.squares, e.variances)) }

// errors summarises the errors of all elements except the unsettled ones: the elements that
// rounding alone flips.
func (w *withinNoise) errors(p pair, unsettled map[int]bool) noiseErrors {
	total := noiseErrors{at: -1}
	for _, b := range overBlocks(p.n, func(lo, hi int, s *scratch) noiseErrors {
		block := noiseErrors{at: -1}
		for ; lo < hi; lo += chunk {
			w.chunk(&block, p, lo, min(lo+chunk, hi), unsettled, s)
		}
		return block
	}) {
		total.n, total.differ = total.n+b.n, total.differ+b.differ
		total.squares, total.variances = total.squares+b.squares, total.variances+b.variances
		if b.n > 0 && (b.greatest > total.greatest || total.at < 0) {
			total.greatest, total.at = b.greatest, b.at
		}
	}
	return total
}

// chunk adds the errors of the elements [lo,hi) to total. There must be at most 1024 elements,
// because the scratch buffers hold no more.
func (w *withinNoise) chunk(total *noiseErrors, p pair, lo, hi int, unsettled map[int]bool,
	s *scratch) {
	a := float64s(p.actual, lo, hi, &s.a64)
	b := float64s(p.expected, lo, hi, &s.b64)
	sigmas := w.noise.Sigma[lo:hi]
	elem := p.expected.ElementType()
	for k, x := range a {
		y := b[k]
		if len(unsettled) > 0 && unsettled[lo+k] {
			continue
		}
		d := x - y
		if d-d != 0 || y-y != 0 {
			if !alike(x, y) {
				total.differ++
			}
			continue
		}
		if total.n++; total.at < 0 {
			total.at = lo + k
		}
		last := spacing(elem, y)
		variance := float64(sigmas[k]*sigmas[k]) + last*last/12
		if variance < leastVariance {
			z := math.Abs(d) / math.Hypot(sigmas[k], last)
			if z *= z; z > total.greatest {
				total.greatest, total.at = z, lo+k
			}
			continue
		}
		d = float64(d * d)
		total.squares, total.variances = total.squares+d, total.variances+variance
		if d > total.greatest*variance {
			total.greatest, total.at = d/variance, lo+k
		}
	}
}

// leastVariance leaves room for squares of errors much smaller than σ: they must not underflow in
// float64. An element with a smaller variance counts only towards the largest error, not towards
// the root mean square.
const leastVariance = 0x1p-960

// spacing returns the distance between neighbouring numbers of a type near v. For float32 and
// float64 it returns at least the smallest normal number, because engines may flush smaller numbers
// to zero.
func spacing(t tensor.ElementType, v float64) float64 {
	mantissa, least, floor := 23, -126, 0x1p-126
	switch t {
	case tensor.Float64:
		mantissa, least, floor = 52, -1022, 0x1p-1022
	case tensor.Float16:
		mantissa, least, floor = 10, -14, 0
	case tensor.BFloat16:
		mantissa = 7
	case tensor.Float32:
	default: // float8 and narrower
		mantissa, least, floor = 2, -6, 0
	}
	// The exponent of 0 and of subnormal numbers is below every least.
	exponent := int(math.Float64bits(v)>>52&0x7ff) - 1023
	return max(floor, math.Ldexp(1, max(least, exponent)-mantissa))
}
