package compare

import (
	"math"
)

// epsilon, 2⁻⁵², replaces a floating-point expected value of zero in divisions, as in Polygraphy.
const epsilon = 0x1p-52

func bits32(f float32) uint32     { return math.Float32bits(f) }
func frombits32(b uint32) float32 { return math.Float32frombits(b) }
func abs32(f float32) float32     { return frombits32(bits32(f) &^ (1 << 31)) }

// errors32 returns the absolute and relative errors of elements [lo,hi) in float32. There may be at
// most 1024 elements (see [chunk]). Do not call it for a pair whose field wide is set, because the
// errors of such a pair need float64. The returned slices belong to s.
func (p *pair) errors32(lo, hi int, s *scratch) (abs, rel []float32) {
	var unused [2]errorTotals
	return p.errorsAndTotals(lo, hi, s, &unused)
}

// errorsAndTotals does the work of errors32. In the same pass it adds the absolute errors to of[0]
// and the relative errors to of[1].
func (p *pair) errorsAndTotals(lo, hi int, s *scratch, of *[2]errorTotals) (abs, rel []float32) {
	a := float32s(p.actual, lo, hi, &s.a32)
	b := float32s(p.expected, lo, hi, &s.b32)
	abs, rel = s.abs32[:len(a)], s.rel32[:len(a)]
	before := *of
	floatErrors32(abs, rel, a, b, p.zero(), of)
	if p.equal.nan && of[0].nan > before[0].nan {
		for i := range a {
			if a[i] != a[i] && b[i] != b[i] {
				abs[i], rel[i] = 0, 0
			}
		}
		*of = before
		addErrorsGo(abs, &of[0])
		addErrorsGo(rel, &of[1])
	}
	return abs, rel
}

// errorsAndTotals64 is errorsAndTotals for any pair, in float64.
func (p *pair) errorsAndTotals64(lo, hi int, s *scratch, of *[2]errorTotals) (abs, rel []float64) {
	abs, rel = p.errors64(lo, hi, s)
	addErrorsGo(abs, &of[0])
	addErrorsGo(rel, &of[1])
	return abs, rel
}

// errors64 returns the errors in float64, for any pair. If the pair's errors are float32 (wide is
// false), it converts the results of errors32, without loss.
func (p *pair) errors64(lo, hi int, s *scratch) (abs, rel []float64) {
	abs, rel = s.abs64[:hi-lo], s.rel64[:hi-lo]
	if !p.wide {
		narrowAbs, narrowRel := p.errors32(lo, hi, s)
		for i := range abs {
			abs[i], rel[i] = float64(narrowAbs[i]), float64(narrowRel[i])
		}
		return abs, rel
	}
	switch p.arith {
	case inFloat32:
		p.widenedErrors(lo, hi, abs, rel, s)
	case inFloat64:
		a := float64s(p.actual, lo, hi, &s.a64)
		b := float64s(p.expected, lo, hi, &s.b64)
		for i, x := range a {
			y := b[i]
			d := math.Abs(x - y)
			if p.equal.holds(x, y) {
				d = 0
			}
			abs[i], rel[i] = d, p.ratio(d, y)
		}
		if p.exact {
			p.exactErrors(lo, hi, abs, rel)
		}
	case inInt64, inBool:
		a, b := int64s(p.actual, lo, hi, &s.aInt), int64s(p.expected, lo, hi, &s.bInt)
		for i, x := range a {
			d := float64(distance(x, b[i]))
			abs[i], rel[i] = d, d/float64(magnitude(b[i]))
		}
	case inUint64:
		a, b := uint64s(p.actual, lo, hi, &s.aInt), uint64s(p.expected, lo, hi, &s.bInt)
		for i, x := range a {
			d := float64(max(x, b[i]) - min(x, b[i]))
			abs[i], rel[i] = d, d/float64(b[i])
		}
	case inString:
		a, b := p.actual.Strings()[lo:hi], p.expected.Strings()[lo:hi]
		for i := range a {
			abs[i] = 0
			if a[i] != b[i] {
				abs[i] = 1
			}
			rel[i] = abs[i]
		}
	}
	return abs, rel
}

// widenedErrors computes the errors of float32 values if the option InfinitiesEqual is set. It
// subtracts in float32 and divides in float64, because Polygraphy then applies NumPy's where() to
// the differences, which widens them.
func (p *pair) widenedErrors(lo, hi int, abs, rel []float64, s *scratch) {
	a := float32s(p.actual, lo, hi, &s.a32)
	b := float32s(p.expected, lo, hi, &s.b32)
	for i, x := range a {
		y := b[i]
		d := float64(abs32(x - y))
		if p.equal.holds(float64(x), float64(y)) {
			d = 0
		}
		abs[i], rel[i] = d, p.ratio(d, float64(y))
	}
}

// holds reports whether x equals y although their difference is not zero: two NaN or two equal
// infinities.
func (e equality) holds(x, y float64) bool {
	return e.infinities && x == y || e.nan && x != x && y != y
}

// ratio returns the relative error for the absolute error d and the expected value y.
func (p *pair) ratio(d, y float64) float64 {
	switch {
	case y == 0 && p.eps:
		return d / epsilon
	case y != y && d == 0: // two NaN values that count as equal
		return 0
	}
	return d / math.Abs(y)
}

// distance returns |x−y| without overflow.
func distance(x, y int64) uint64 {
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// magnitude returns |x| without overflow.
func magnitude(x int64) uint64 { return distance(x, 0) }
