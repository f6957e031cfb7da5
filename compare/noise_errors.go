package compare

import (
	"math"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// noiseError summarises the errors of one output.
type noiseError struct {
	n             int     // the number of elements compared as finite numbers
	rms, greatest float64 // in σ
	sigma         float64 // the root mean square of the elements' σ
	at            int     // the element with the largest error
	differ        int     // the number of elements that must be equal but differ
}

// noiseBlock summarises the errors of one block of elements.
type noiseBlock struct {
	n, at, differ      int
	squares, variances float64
	greatest           float64 // squared, in σ²
}

// errors summarises the errors of all elements except the unsettled ones: the elements that
// rounding alone flips.
func (w *withinNoise) errors(p pair, unsettled map[int]bool) noiseError {
	last := lastRoundings[p.expected.ElementType()]
	if last == nil {
		last = lastRoundings[tensor.Float8E4M3FN]
	}
	variances := last()
	blocks := overBlocks(p.n, func(lo, hi int, s *scratch) noiseBlock {
		total := noiseBlock{at: -1}
		for ; lo < hi; lo += strip {
			w.strip(&total, p, lo, min(lo+strip, hi), variances, unsettled, s)
		}
		return total
	})
	e := noiseError{at: -1}
	var squares, variance, greatest float64
	for _, b := range blocks {
		squares, variance = squares+b.squares, variance+b.variances
		e.n, e.differ = e.n+b.n, e.differ+b.differ
		if b.n > 0 && (b.greatest > greatest || e.at < 0) {
			greatest, e.at = b.greatest, b.at
		}
	}
	if e.n > 0 {
		e.greatest = math.Sqrt(greatest)
		if variance > 0 {
			e.rms = math.Sqrt(squares / variance)
		}
		e.sigma = math.Sqrt(variance / float64(e.n))
	}
	return e
}

// strip adds the elements [lo,hi) to total, the summary of a block. The parameter last contains the
// variances of the last rounding, by exponent.
func (w *withinNoise) strip(total *noiseBlock, p pair, lo, hi int, last *[exponents]float64,
	unsettled map[int]bool, s *scratch) {
	a := float64s(p.actual, lo, hi, &s.a64)
	b := float64s(p.expected, lo, hi, &s.b64)
	sigmas := w.noise.Sigma[lo:hi]
	for k, x := range a {
		y := b[k]
		if len(unsettled) > 0 && unsettled[lo+k] {
			continue
		}
		d := x - y
		if d-d != 0 || y-y != 0 {
			if x != y && !(x != x && y != y) {
				total.differ++
			}
			continue
		}
		variance := float64(sigmas[k]*sigmas[k]) + last[math.Float64bits(y)>>52%exponents]
		if total.n++; total.at < 0 {
			total.at = lo + k
		}
		if variance < leastVariance {
			z := math.Abs(d) / math.Hypot(sigmas[k], spacing(p.expected.ElementType(), y))
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

// leastVariance is the smallest variance whose square stays in float64's range. An element with a
// smaller variance counts only towards the largest error, not towards the root mean square.
const leastVariance = 0x1p-960

// exponents is the number of values of a float64's exponent field.
const exponents = 1 << 11

// lastRoundings contains, for each type, the variances of a value's last rounding to that type,
// which are 1/12 of the squared distance between neighbouring numbers. The index is the exponent
// field of the rounded number as a float64.
var lastRoundings = func() map[tensor.ElementType]func() *[exponents]float64 {
	tables := map[tensor.ElementType]func() *[exponents]float64{}
	for _, t := range []tensor.ElementType{tensor.Float64, tensor.Float32, tensor.Float16,
		tensor.BFloat16, tensor.Float8E4M3FN} {
		tables[t] = sync.OnceValue(func() *[exponents]float64 {
			var table [exponents]float64
			for e := range table {
				last := spacing(t, math.Float64frombits(uint64(e)<<52))
				table[e] = last * last / 12
			}
			return &table
		})
	}
	return tables
}()

// spacing returns the distance between neighbouring numbers of a type near v. For float32 and
// float64 it returns at least the smallest normal number, because engines may flush smaller numbers
// to zero.
func spacing(t tensor.ElementType, v float64) float64 {
	mantissa, least := 23, -126
	floor := math.Ldexp(1, least)
	switch t {
	case tensor.Float64:
		mantissa, least, floor = 52, -1022, math.Ldexp(1, -1022)
	case tensor.Float16:
		mantissa, least, floor = 10, -14, 0
	case tensor.BFloat16:
		mantissa = 7
	case tensor.Float32:
	default: // float8 and narrower
		mantissa, least, floor = 2, -6, 0
	}
	if v == 0 {
		return max(floor, math.Ldexp(1, least-mantissa))
	}
	return max(floor, math.Ldexp(1, max(least, math.Ilogb(v))-mantissa))
}
