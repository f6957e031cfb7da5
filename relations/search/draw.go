package search

import (
	"math"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// sizes are those that dynamic dimensions take.
func (h *hunt) sizes() []int {
	if len(h.options.Sizes) > 0 {
		return h.options.Sizes
	}
	return Sizes()
}

// blank is zeros, with each dynamic dimension of one size; without one (0) as in the subject's own
// inputs.
func (h *hunt) blank(size int) *candidate {
	c := candidateOf(h.own, "zeros")
	for _, v := range h.inputs {
		shape := c.shapes[v.Name].Clone()
		for i, d := range v.Dims {
			if d.Dynamic() && size > 0 && i < len(shape) {
				shape[i] = size
			}
		}
		c.shapes[v.Name] = shape
		c.values[v.Name] = make([]float64, count(shape))
	}
	return c
}

func count(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// shaped is zeros whose dynamic dimensions have sizes by chance: those of one name have one.
func (h *hunt) shaped() *candidate {
	c := h.blank(0)
	if h.random.IntN(2) == 0 {
		return c
	}
	bySymbol := map[string]int{}
	for _, v := range h.inputs {
		shape := c.shapes[v.Name].Clone()
		for i, d := range v.Dims {
			if !d.Dynamic() || i >= len(shape) {
				continue
			}
			size, known := bySymbol[d.Symbol]
			if !known || d.Symbol == "" {
				size = h.sizes()[h.random.IntN(len(h.sizes()))]
				bySymbol[d.Symbol] = size
			}
			shape[i] = size
		}
		c.shapes[v.Name], c.values[v.Name] = shape, make([]float64, count(shape))
	}
	return c
}

// draws are the kinds of inputs, each a change of zeros of some element type.
var draws = []struct {
	how  string
	fill func(h *hunt, e tensor.ElementType, v []float64)
}{
	{"zeros", func(*hunt, tensor.ElementType, []float64) {}},
	{"negative zeros", func(_ *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return math.Copysign(0, -1) })
	}},
	{"a constant", func(h *hunt, e tensor.ElementType, v []float64) {
		c := h.special(e)
		fill(v, func(int) float64 { return c })
	}},
	{"uniform values", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return h.random.Float64() })
	}},
	{"values of both signs", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return h.random.NormFloat64() })
	}},
	{"one magnitude", func(h *hunt, e tensor.ElementType, v []float64) {
		k := h.exponent(e)
		fill(v, func(int) float64 { return math.Ldexp(1+float64(h.random.Float64()), k) })
	}},
	{"every magnitude", func(h *hunt, e tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return math.Ldexp(h.random.NormFloat64(), h.exponent(e)) })
	}},
	{"denormal values", func(h *hunt, e tensor.ElementType, v []float64) {
		tiny, normal := least(e)
		fill(v, func(int) float64 { return max(tiny, h.random.Float64()*normal) })
	}},
	{"huge values", func(h *hunt, e tensor.ElementType, v []float64) {
		_, hi := bounds(e)
		fill(v, func(int) float64 { return hi * (0.5 + float64(h.random.Float64()/2)) })
	}},
	{"borders", func(h *hunt, e tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return h.special(e) })
	}},
	{"one element", func(h *hunt, e tensor.ElementType, v []float64) {
		if len(v) > 0 {
			v[h.random.IntN(len(v))] = h.special(e)
		}
	}},
	{"one outlier", func(h *hunt, e tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return h.random.Float64() })
		if len(v) > 0 {
			v[h.random.IntN(len(v))] = math.Ldexp(1, h.exponent(e))
		}
	}},
	{"integers", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(int) float64 { return float64(h.random.IntN(17) - 8) })
	}},
	{"rising values", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(i int) float64 { return float64(i+1) / float64(len(v)) })
	}},
	{"falling values", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(i int) float64 { return float64(len(v)-i) / float64(len(v)) })
	}},
	{"equal pairs", func(h *hunt, _ tensor.ElementType, v []float64) {
		fill(v, func(i int) float64 {
			if i%2 == 1 {
				return v[i-1]
			}
			return h.random.Float64()
		})
	}},
	{"values that cancel", func(h *hunt, e tensor.ElementType, v []float64) {
		k := h.exponent(e) / 8
		fill(v, func(i int) float64 {
			if i%2 == 1 {
				return -v[i-1]
			}
			return math.Ldexp(1+float64(h.random.Float64()), k)
		})
	}},
}

func fill(v []float64, with func(i int) float64) {
	for i := range v {
		v[i] = with(i)
	}
}

// exponent is that of a number of a type; half of them lie near 1.
func (h *hunt) exponent(e tensor.ElementType) int {
	_, hi := bounds(e)
	top := int(math.Log2(hi))
	if h.random.IntN(2) == 0 {
		top = min(top, 24)
	}
	return h.random.IntN(2*top-1) - top + 1
}

// special is a number at a border: of a type, of another type, or of what functions do.
func (h *hunt) special(e tensor.ElementType) float64 {
	tiny, normal := least(e)
	_, hi := bounds(e)
	list := []float64{0, 1, 2, 0.5, 3, 4, 6, 8, 10, 100, 127, 128, 255, 256, 1000, 2048, 32767, 65504,
		65505, 65520, 0x1p24, 0x1p24 + 2, 0x1p31, hi, hi / 2, math.Sqrt(hi), tiny, normal, normal / 2,
		0x1p-24, 1e-5, 1e-12, 88, 89, 104, math.Pi, math.Copysign(0, -1)}
	v := list[h.random.IntN(len(list))]
	if h.random.IntN(3) == 0 {
		v = -v
	}
	return v
}

// next is the candidate to try.
func (h *hunt) next() *candidate {
	edit := h.edit()
	c := h.draw()
	c.edit = edit
	return c
}

// draw is the next candidate's values.
func (h *hunt) draw() *candidate {
	tried := h.found.Trials + h.found.Refused
	if tried == 0 {
		return candidateOf(h.own, "the inputs given")
	}
	if len(h.best) > 0 && tried > len(draws) && h.random.IntN(3) == 0 {
		return h.change(h.best[h.random.IntN(len(h.best))])
	}
	kind := draws[tried%len(draws)]
	c := h.shaped()
	c.how = kind.how
	for _, v := range h.inputs {
		if v.Type.IsFloat() {
			kind.fill(h, v.Type, c.values[v.Name])
		} else {
			h.integers(v, c.values[v.Name])
		}
	}
	return c
}

// integers fills an input of integers, whose range is that of the subject's own: beyond it they may
// be no index.
func (h *hunt) integers(v loaders.Value, values []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	t, _ := h.own.Get(v.Name)
	for i := range t.Len() {
		lo, hi = min(lo, t.Float64At(i)), max(hi, t.Float64At(i))
	}
	if t.Len() == 0 {
		return
	}
	kind := h.random.IntN(5)
	at := h.random.IntN(max(1, len(values)))
	fill(values, func(i int) float64 {
		switch {
		case kind == 0 || kind == 2 && i != at:
			return lo
		case kind == 1 || kind == 2:
			return hi
		case kind == 3:
			return lo + math.Mod(float64(i), hi-lo+1)
		}
		return lo + math.Floor(h.random.Float64()*(hi-lo+1))
	})
}
