package search

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// sizes returns the sizes to try for dynamic dimensions.
func (h *hunt) sizes() []int {
	if len(h.options.Sizes) > 0 {
		return h.options.Sizes
	}
	return everySize
}

// everySize lists the sizes up to 64. Sizes near powers of two come first, because engines switch
// to different kernels there.
var everySize = func() []int {
	list := []int{1, 2, 3, 5, 7, 8, 16, 17, 32, 33, 63, 64}
	for n := range 64 {
		if !slices.Contains(list, n+1) {
			list = append(list, n+1)
		}
	}
	return list
}()

// mostDrawn is the maximum number of elements of drawn inputs if Options.Sizes is not set.
const mostDrawn = 1 << 24

// fits reports whether the inputs have at most mostDrawn elements. Sizes that the user set in
// Options.Sizes always fit.
func (h *hunt) fits(shapes map[string]tensor.Shape) bool {
	if len(h.options.Sizes) > 0 {
		return true
	}
	total := 0
	for _, shape := range shapes {
		total += count(shape)
	}
	return total <= mostDrawn
}

// blank returns all-zero inputs of the given shapes.
func blank(shapes map[string]tensor.Shape) *candidate {
	c := &candidate{how: "zeros", shapes: shapes, values: map[string][]float64{}}
	for name, shape := range shapes {
		c.values[name] = make([]float64, count(shape))
	}
	return c
}

// dimension is an axis of an input.
type dimension struct {
	input string
	axis  int
}

// resized returns a copy of the inputs' shapes in which dynamic dimensions have new sizes. It calls
// the function size for the first dimension of each name, and for each without a name, in the order
// of the inputs. A dimension whose name is a sum, such as "past + 1", gets the sum of its parts. If
// a part is not a dimension of the inputs, resized calls size, after all others.
func resized(inputs []loaders.Value, shapes map[string]tensor.Shape,
	size func(dimension) int) map[string]tensor.Shape {
	shapes, known := maps.Clone(shapes), map[string][]int{}
	for _, sums := range []bool{false, true} { // the parts of sums first
		for _, v := range inputs {
			shapes[v.Name] = slices.Clone(shapes[v.Name])
			for axis, d := range v.Dims {
				if !d.Dynamic() || axis >= len(shapes[v.Name]) || sums != strings.Contains(d.Symbol, "+") {
					continue
				}
				if known[d.Symbol] == nil || d.Symbol == "" {
					known[d.Symbol] = names.Sum(d.Symbol, 1, func(part string) []int { return known[part] })
				}
				if known[d.Symbol] == nil {
					known[d.Symbol] = []int{size(dimension{v.Name, axis})}
				}
				shapes[v.Name][axis] = known[d.Symbol][0]
			}
		}
	}
	return shapes
}

// equalSizes returns the shapes of inputs in which every dynamic dimension has the given size, or
// the sum of such sizes.
func (h *hunt) equalSizes(size int) map[string]tensor.Shape {
	return resized(h.inputs, candidateOf(h.given[0], "").shapes, func(dimension) int { return size })
}

func count(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// shaped returns all-zero inputs. In every second call, the dynamic dimensions have new sizes: the
// first one, usually the batch, takes each size in turn, and the others take random sizes.
// Dimensions with the same name have the same size, and sums of dimensions follow their parts.
func (h *hunt) shaped() *candidate {
	c := blank(candidateOf(h.given[0], "").shapes)
	if h.turn++; h.turn%2 == 0 {
		return c
	}
	first, batch := h.sizes()[h.turn/2%len(h.sizes())], true
	shapes := resized(h.inputs, c.shapes, func(dimension) int {
		if batch {
			batch = false
			return first
		}
		return h.sizes()[h.random.IntN(len(h.sizes()))]
	})
	if !h.fits(shapes) {
		h.tooLarge = true
		return c
	}
	h.firsts[first] = true
	return blank(shapes)
}

// draws lists the kinds of float values. Each function fills a slice of zeros with values of one
// kind for an element type.
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
		_, hi := sets.Bounds(e)
		fill(v, func(int) float64 { return hi * (0.5 + float64(h.random.Float64()/2)) })
	}},
	{"values at which types or functions overflow", func(h *hunt, e tensor.ElementType, v []float64) {
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
	{"a share of zeros", func(h *hunt, _ tensor.ElementType, v []float64) {
		share := []float64{0.125, 0.25, 0.5, 0.5, 0.75, 0.875, 0.97, h.random.Float64()}[h.random.IntN(8)]
		fill(v, func(int) float64 {
			if h.random.Float64() < share {
				return 0
			}
			return h.random.NormFloat64()
		})
		if exact := int(share * float64(len(v))); h.random.IntN(2) == 0 { // one range of zeros
			fill(v, func(i int) float64 {
				if i < exact {
					return 0
				}
				return 0.5 + float64(h.random.Float64())
			})
		}
	}},
	{"a band of norms", func(h *hunt, _ tensor.ElementType, v []float64) {
		norm, sum := math.Exp2(float64(20*h.evenly())-8), 0.0
		fill(v, func(int) float64 {
			x := h.random.NormFloat64()
			sum += float64(x * x)
			return x
		})
		if sum > 0 {
			fill(v, func(i int) float64 { return v[i] * (norm / math.Sqrt(sum)) })
		}
	}},
	{"a band of values", func(h *hunt, _ tensor.ElementType, v []float64) {
		from, width := float64(20*h.evenly())-10, math.Exp2(-float64(h.random.IntN(11)))
		fill(v, func(int) float64 { return from + float64(width*h.random.Float64()) })
	}},
	{"a ramp over a band", func(h *hunt, _ tensor.ElementType, v []float64) {
		reach := math.Exp2(float64(h.random.IntN(8)) - 2)
		shift := float64(h.random.Float64()) // prevents a fused multiply-add
		fill(v, func(i int) float64 {
			return reach * (float64(2*(float64(i)+shift)/float64(len(v))) - 1)
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

// evenly returns the next number of a sequence that is spread evenly between 0 and 1: it advances
// by the golden ratio.
func (h *hunt) evenly() float64 {
	h.spread = math.Mod(h.spread+math.Phi, 1)
	return h.spread
}

func fill(v []float64, with func(i int) float64) {
	for i := range v {
		v[i] = with(i)
	}
}

// exponent draws a binary exponent in the type's range. Half of the exponents are limited to
// absolute values below 24, so that numbers near 1 are frequent.
func (h *hunt) exponent(e tensor.ElementType) int {
	_, hi := sets.Bounds(e)
	top := int(math.Log2(hi))
	if h.random.IntN(2) == 0 {
		top = min(top, 24)
	}
	return h.random.IntN(2*top-1) - top + 1
}

// special draws a number at the limit of a type, or at which a common function saturates, overflows
// or changes sign.
func (h *hunt) special(e tensor.ElementType) float64 {
	tiny, normal := least(e)
	_, hi := sets.Bounds(e)
	list := []float64{0, 1, 2, 0.5, 3, 4, 6, 8, 10, 100, 127, 128, 255, 256, 1000, 2048, 32767, 65504,
		65505, 65520, 0x1p24, 0x1p24 + 2, 0x1p31, hi, hi / 2, math.Sqrt(hi), tiny, normal, normal / 2,
		0x1p-24, 1e-5, 1e-12, 88, 89, 104, math.Pi, math.Copysign(0, -1)}
	v := list[h.random.IntN(len(list))]
	if h.random.IntN(3) == 0 {
		v = -v
	}
	return v
}

// draw generates a candidate's values.
func (h *hunt) draw() *candidate {
	tried := h.found.tried()
	if tried < len(h.given) {
		return candidateOf(h.given[tried], "the inputs given")
	}
	if len(h.best) > 0 && tried > len(draws) && h.random.IntN(3) == 0 {
		return h.change(h.best[h.random.IntN(len(h.best))])
	}
	kind := draws[tried%len(draws)]
	h.kinds[kind.how] = true
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

// integers draws the values of an integer input from the range of the subject's inputs, because
// values outside that range may be invalid indices.
func (h *hunt) integers(v loaders.Value, values []float64) {
	t, _ := h.given[0].Get(v.Name)
	if t.Len() == 0 {
		return
	}
	given := t.Float64s()
	lo, hi := slices.Min(given), slices.Max(given)
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
