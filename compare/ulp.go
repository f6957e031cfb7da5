package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// ULP passes if no element is more than n representable values of its type away from the expected
// one. +0 and −0 are the same value; an infinity is one step from the largest finite value; NaN
// mismatches. For integers the distance is the difference. Both sides must have the same element
// type.
func ULP(n int) Check { return Check{rule: ulp{limit: float64(n)}} }

type ulp struct {
	counted
	limit float64
}

func (u ulp) name() string { return "ulp" }
func (u ulp) text() string { return fmt.Sprintf("ulp distance ≤ %s", figures.Exact(u.limit)) }

func (u ulp) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: u.limit}
}

func (u ulp) validate() error { return tolerance(u.name(), u.limit) }

func (u ulp) measure(p pair, r *Result) error {
	if p.arith == inString {
		r.Mismatches = p.countMismatches(u)
		return nil
	}
	if x, y := p.actual.ElementType(), p.expected.ElementType(); x != y {
		return fmt.Errorf("the ulp distance needs the same element type on both sides, got %v and %v",
			x, y)
	}
	total := p.ulps(u.limit)
	r.Value, r.Mismatches = total.most, total.count
	if steps := stepsOf(p.actual.ElementType()); u.limit >= steps {
		r.hollow = hollow("set a smaller ULP distance as the limit for this output",
			"no two values of %v are more than %s ULP apart", p.actual.ElementType(), figures.Exact(steps))
	}
	return nil
}

func (u ulp) figures(r *Result) string {
	if r.Value == r.Value {
		return figures.Short(r.Value)
	}
	return u.counted.figures(r)
}

func (u ulp) elements() elementRule { return u }

func (u ulp) mismatching(p pair, lo, hi int, s *scratch) int {
	if p.arith == inString {
		return p.mismatches(lo, hi, 0, 0, s)
	}
	return p.ulpsOver(lo, hi, u.limit).count
}

func (u ulp) suggest(_ pair, r Result, s *Required) { s.Limit = r.Value }

// ulps contains the largest distance between elements, in representable values, and the number of
// elements whose distance exceeds a limit.
type ulps struct {
	most  float64
	count int
}

// ulpsOver compares elements [lo,hi).
func (p *pair) ulpsOver(lo, hi int, limit float64) (total ulps) {
	for i := lo; i < hi; i++ {
		d := p.ulp(i)
		if !(d <= total.most) {
			total.most = d
		}
		if !(d <= limit) {
			total.count++
		}
	}
	return total
}

func (p pair) ulps(limit float64) (total ulps) {
	for _, part := range overBlocks(p.n, func(lo, hi int, _ *scratch) ulps {
		return p.ulpsOver(lo, hi, limit)
	}) {
		total.most = math.Max(total.most, part.most)
		total.count += part.count
	}
	return total
}

// countsULP reports whether a result comes from a ULP check.
func countsULP(r Result) bool {
	_, ok := r.Check.rule.(ulp)
	return ok
}

// ulpAt returns the ULP distance of element i, or NaN if the two sides have different element types
// or are strings.
func (p *pair) ulpAt(i int) float64 {
	if p.arith == inString || p.actual.ElementType() != p.expected.ElementType() {
		return nan
	}
	return p.ulp(i)
}

// ulp returns how many steps of the element type lie between the two elements: 1 for neighbouring
// values. It returns NaN if either is NaN, unless both are NaN and count as equal.
func (p *pair) ulp(i int) float64 {
	elem := p.actual.ElementType()
	if !elem.IsFloat() {
		abs, _ := p.errorsAt(i)
		return abs
	}
	x, y := p.actual.Float64At(i), p.expected.Float64At(i)
	if x != x || y != y {
		if p.equal.holds(x, y) {
			return 0
		}
		return nan
	}
	return float64(distance(orderOf(p.actual, i), orderOf(p.expected, i)))
}

// stepsOf returns the largest ULP distance between two values of a type.
func stepsOf(t tensor.ElementType) float64 {
	if low, high, ok := span(t); ok && !t.IsFloat() {
		return high - low
	}
	if t == tensor.Float8E8M0 { // this type has no sign
		return math.Exp2(float64(t.Bits()))
	}
	return math.Exp2(float64(t.Bits())) - 2 // +0 and −0 are one value
}

// orderOf numbers the values of a float type from −∞ to +∞; both zeros have the number 0.
func orderOf(t *tensor.Tensor, i int) int64 {
	width := t.ElementType().Bits()
	var bits uint64
	switch width {
	case 4:
		bits = uint64(spill.Part(t, i/2, i/2+1)[0] >> (4 * (i % 2)) & 0x0f)
	case 8:
		bits = uint64(spill.Part(t, i, i+1)[0])
		if t.ElementType() == tensor.Float8E8M0 {
			return int64(bits) // this type has no sign
		}
	case 16:
		bits = uint64(view[uint16](t, i, i+1)[0])
	case 32:
		bits = uint64(view[uint32](t, i, i+1)[0])
	default:
		bits = view[uint64](t, i, i+1)[0]
	}
	sign := uint64(1) << (width - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

// errorsAt returns the absolute and the relative error of element i.
func (p *pair) errorsAt(i int) (abs, rel float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	a, r := p.errors64(i, i+1, s)
	return a[0], r[0]
}
