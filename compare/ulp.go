package compare

import "github.com/modelparity/modelparity/tensor"

// ulps is the greatest distance in representable values and the count beyond a limit.
type ulps struct {
	most  float64
	count int
}

// ulpsOver folds elements [lo,hi) of two tensors of one type.
func (p *pair) ulpsOver(lo, hi int, limit float64) (u ulps) {
	for i := lo; i < hi; i++ {
		d := p.ulp(i)
		if !(d <= u.most) {
			u.most = d
		}
		if !(d <= limit) {
			u.count++
		}
	}
	return u
}

// ulp is how many values of the element type lie between both elements, one of them included. It is
// NaN where one is NaN, unless both are and that counts as equal.
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

// orderOf numbers the values of a float type from −∞ to +∞, with 0 for both zeros.
func orderOf(t *tensor.Tensor, i int) int64 {
	width := t.ElementType().Bits()
	var bits uint64
	switch width {
	case 4:
		bits = uint64(t.Bytes()[i/2] >> (4 * (i % 2)) & 0x0f)
	case 8:
		bits = uint64(t.Bytes()[i])
		if t.ElementType() == tensor.Float8E8M0 {
			return int64(bits) // has no sign
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

// errorsAt is both errors of one element.
func (p *pair) errorsAt(i int) (abs, rel float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	a, r := p.errors64(i, i+1, s)
	return a[0], r[0]
}
