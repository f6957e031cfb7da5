package noise

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// sum adds up products in twice the precision of float64, one after the other.
type sum struct {
	high, low float64
	size      float64 // sum of the magnitudes of the terms
	squares   float64 // sum of the squares of all rounded results
	terms     int
}

// halves splits x into two numbers of at most 26 bits, whose products are exact [Dekker 1971].
func halves(x float64) (high, low float64) {
	c := float64(x * (1<<27 + 1))
	high = c - (c - x)
	return high, x - high
}

// add adds a·b [Ogita, Rump and Oishi 2005: Dot2].
func (s *sum) add(a, b float64) {
	p := float64(a * b)
	a1, a2 := halves(a)
	b1, b2 := halves(b)
	rest := float64(a1*b1) - p + float64(a1*b2) + float64(a2*b1) + float64(a2*b2) // a·b − p
	high := s.high + p
	z := high - s.high
	s.low += (s.high - (high - z)) + (p - z) + rest
	s.high = high
	s.size += math.Abs(p)
	s.squares += float64(p*p) + float64(high*high)
	s.terms++
}

func (s *sum) value() float64 { return s.high + s.low }

// allowed returns the largest accepted error of a sum of float32 or float64, in units of u:
// 16·(√Σ(pₖ² + sₖ²) + y/8), for the products pₖ, the partial sums sₖ and the greatest result y.
// Each pₖ and sₖ is rounded, with an error of u/√3 of its size on average, and other orders of
// addition have partial sums of similar size. The term y/8 is for fast convolutions, whose rounding
// errors depend on neighbouring results. The limit accepts an engine that keeps 21 of 24 bits and
// rejects TF32, which keeps 11. The usual bound K·u·Σ|pₖ|, which holds for K products in any order,
// would also accept TF32 if K is some hundreds.
func (s *sum) allowed(greatest float64) float64 {
	return 16 * (math.Sqrt(s.squares) + float64(greatest/8))
}

// terms returns a function that calls add with the two factors of each term of result element i.
// For shapes and settings that are not supported, either terms returns nil or the function returns
// false.
func (p *product) terms(operands []*tensor.Tensor, out tensor.Shape) func(i int,
	add func(a, b float64)) bool {
	x, w := operands[0], operands[1]
	switch {
	case p.Op == "Conv":
		return p.convolution(x, w, operands[2:], out)
	case p.Op == "MatMul":
		return matrices(x, w, x.Shape(), w.Shape(), out)
	case p.attributes["alpha"] != "" && p.attributes["alpha"] != "1":
		return nil
	}
	return p.gemm(x, w, operands[2:], out)
}

// matrices returns the function described by terms, for a MatMul.
func matrices(x, w *tensor.Tensor, a, b, out tensor.Shape) func(int, func(a, b float64)) bool {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if len(a) == 1 {
		a = tensor.Shape{1, a[0]}
	}
	if len(b) == 1 {
		b = tensor.Shape{b[0], 1}
	}
	rows, inner, columns := a[len(a)-2], a[len(a)-1], b[len(b)-1]
	batches := max(len(a), len(b)) - 2
	return func(i int, add func(a, b float64)) bool {
		n, m, batch := i%columns, i/columns%rows, i/columns/rows
		fromA, fromB, stepA, stepB := 0, 0, rows*inner, inner*columns
		for axis := range batches { // the last batch axis comes first
			sizeA, sizeB := 1, 1
			if at := len(a) - 3 - axis; at >= 0 {
				sizeA = a[at]
			}
			if at := len(b) - 3 - axis; at >= 0 {
				sizeB = b[at]
			}
			index := batch % max(sizeA, sizeB)
			batch /= max(sizeA, sizeB)
			fromA, fromB = fromA+index%sizeA*stepA, fromB+index%sizeB*stepB
			stepA, stepB = stepA*sizeA, stepB*sizeB
		}
		if batch != 0 || b[len(b)-2] != inner {
			return false
		}
		for k := range inner {
			add(x.Float64At(fromA+m*inner+k), w.Float64At(fromB+k*columns+n))
		}
		return true
	}
}

// gemm returns the function described by terms, for a Gemm.
func (p *product) gemm(x, w *tensor.Tensor, bias []*tensor.Tensor, out tensor.Shape) func(int,
	func(a, b float64)) bool {
	a, b := x.Shape(), w.Shape()
	if len(a) != 2 || len(b) != 2 || len(out) != 2 {
		return nil
	}
	stepsA, stepsB, inner := [2]int{a[1], 1}, [2]int{b[1], 1}, a[1]
	if p.attributes["transA"] == "1" {
		stepsA, inner = [2]int{1, a[1]}, a[0]
	}
	if p.attributes["transB"] == "1" {
		stepsB = [2]int{1, b[1]}
	}
	beta := 1.0
	if text := p.attributes["beta"]; text != "" {
		beta, _ = strconv.ParseFloat(text, 64)
	}
	return func(i int, add func(a, b float64)) bool {
		m, n := i/out[1], i%out[1]
		for k := range inner {
			add(x.Float64At(m*stepsA[0]+k*stepsA[1]), w.Float64At(k*stepsB[0]+n*stepsB[1]))
		}
		if len(bias) == 0 || bias[0] == nil {
			return true
		}
		c := bias[0].Shape()
		at := 0
		if len(c) > 0 {
			at = n % c[len(c)-1]
		}
		if len(c) > 1 {
			at += m % c[0] * c[1]
		}
		add(bias[0].Float64At(at), beta)
		return true
	}
}

// integers returns the named attribute, a list of integers. If the attribute is missing, it returns
// a list that repeats a default value n times.
func (p *product) integers(name string, n, otherwise int) []int {
	text := strings.Trim(p.attributes[name], "[]")
	if text == "" {
		return slices.Repeat([]int{otherwise}, n)
	}
	var list []int
	for _, one := range strings.Split(text, ",") {
		v, err := strconv.Atoi(one)
		if err != nil {
			return nil
		}
		list = append(list, v)
	}
	return list
}

// convolution returns the function described by terms, for a Conv. The first term is the bias.
func (p *product) convolution(x, w *tensor.Tensor, bias []*tensor.Tensor, out tensor.Shape) func(
	int, func(a, b float64)) bool {
	a, k := x.Shape(), w.Shape()
	axes := len(k) - 2
	auto := p.attributes["auto_pad"]
	if axes < 1 || len(a) != len(k) || len(out) != len(k) || auto != "" && auto != "NOTSET" &&
		auto != "VALID" {
		return nil
	}
	strides, dilations := p.integers("strides", axes, 1), p.integers("dilations", axes, 1)
	pads := p.integers("pads", 2*axes, 0)
	group := p.integers("group", 1, 1)
	if len(strides) != axes || len(dilations) != axes || len(pads) != 2*axes || len(group) != 1 {
		return nil
	}
	volume := 1 // number of elements of the kernel
	for _, size := range k[2:] {
		volume *= size
	}
	return func(i int, add func(a, b float64)) bool {
		at := make([]int, axes) // index into the result
		for axis := axes - 1; axis >= 0; axis-- {
			at[axis], i = i%out[2+axis], i/out[2+axis]
		}
		channel, image := i%out[1], i/out[1]
		if len(bias) > 0 && bias[0] != nil {
			add(bias[0].Float64At(channel), 1)
		}
		first := channel / max(1, k[0]/group[0]) * k[1]
		for c := range k[1] {
			for v := range volume {
				from, step, rest, inside := 0, 1, v, true
				for axis := axes - 1; axis >= 0; axis-- {
					tap := rest % k[2+axis]
					rest /= k[2+axis]
					place := at[axis]*strides[axis] + tap*dilations[axis] - pads[axis]
					inside = inside && place >= 0 && place < a[2+axis]
					from, step = from+place*step, step*a[2+axis]
				}
				if inside {
					add(x.Float64At((image*a[1]+first+c)*step+from), w.Float64At((channel*k[1]+c)*volume+v))
				}
			}
		}
		return true
	}
}
