package bound_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/tensor"
)

// float32s returns a float32 tensor.
func float32s(shape tensor.Shape, values []float32) *tensor.Tensor {
	t, err := tensor.New(shape, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

// node returns a node of an operator with float32 inputs.
func node(op string, attributes map[string]string, inputs ...*tensor.Tensor) bound.Node {
	n := bound.Node{Op: op, Opset: 23, Attributes: attributes}
	for _, t := range inputs {
		n.Inputs = append(n.Inputs, bound.Input{Tensor: t})
	}
	return n
}

// arithmetic is float64 for a node with a float64 input, and float32 for all others.
func arithmetic(n bound.Node) bound.Arithmetic {
	for _, in := range n.Inputs {
		if in.Tensor != nil && in.Tensor.ElementType() == tensor.Float64 {
			return bound.Float64
		}
	}
	return bound.Float32
}

// ratio judges an output in float32 arithmetic.
func ratio(ctx context.Context, n bound.Node, output *tensor.Tensor) bound.Ratio {
	r, err := bound.Judge(ctx, n, arithmetic(n), output, nil)
	Expect(err).NotTo(HaveOccurred())
	return r
}

// orders sum the products of two vectors in float32, as engines do.
var orders = map[string]func(a, b []float32) float32{
	"one by one": func(a, b []float32) float32 {
		var s float32
		for i := range a {
			s += float32(a[i] * b[i])
		}
		return s
	},
	"with fused multiply-add": func(a, b []float32) float32 {
		var s float32
		for i := range a {
			s = float32(math.FMA(float64(a[i]), float64(b[i]), float64(s)))
		}
		return s
	},
	"in sixteen lanes": func(a, b []float32) float32 {
		var lanes [16]float32
		for i := range a {
			lanes[i%16] += float32(a[i] * b[i])
		}
		var s float32
		for _, v := range lanes {
			s += v
		}
		return s
	},
	"in pairs": func(a, b []float32) float32 {
		list := products(a, b)
		for len(list) > 1 {
			half := (len(list) + 1) / 2
			for i := half; i < len(list); i++ {
				list[i-half] += list[i]
			}
			list = list[:half]
		}
		return list[0]
	},
	"from the smallest": func(a, b []float32) float32 { return ordered(a, b, ascending) },
	"from the greatest": func(a, b []float32) float32 {
		return ordered(a, b, func(x, y float32) int { return -ascending(x, y) })
	},
	"the positive terms first": func(a, b []float32) float32 {
		return ordered(a, b, func(x, y float32) int {
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
	},
	"with zeros for subnormal numbers": func(a, b []float32) float32 {
		var s float32
		for i := range a {
			s = flushed(s + flushed(flushed(a[i])*flushed(b[i])))
		}
		return s
	},
}

func products(a, b []float32) []float32 {
	list := make([]float32, len(a))
	for i := range a {
		list[i] = a[i] * b[i]
	}
	return list
}

func ascending(x, y float32) int {
	switch x, y := math.Abs(float64(x)), math.Abs(float64(y)); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func ordered(a, b []float32, compare func(x, y float32) int) float32 {
	list := products(a, b)
	slices.SortFunc(list, compare)
	var s float32
	for _, v := range list {
		s += v
	}
	return s
}

func flushed(v float32) float32 {
	if math.Abs(float64(v)) < 0x1p-126 {
		return 0
	}
	return v
}

// terms are vectors that are hard to multiply.
var terms = map[string]func(random *rand.Rand, a, b []float32){
	"random": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i], b[i] = float32(random.NormFloat64()), float32(random.NormFloat64())
		}
	},
	"positive": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i], b[i] = random.Float32(), random.Float32()
		}
	},
	"equal, so that errors add up": func(_ *rand.Rand, a, b []float32) {
		for i := range a {
			a[i], b[i] = 0.1, 0.7
		}
	},
	"cancelling": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i], b[i] = float32(random.NormFloat64()), float32(random.NormFloat64())
			if i%2 == 1 {
				a[i], b[i] = -a[i-1], b[i-1]
			}
		}
		a[0] += a[0] / (1 << 20)
	},
	"of magnitudes that differ by 1e8": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i] = float32(random.NormFloat64() * math.Pow(10, 16*random.Float64()-8))
			b[i] = float32(random.NormFloat64() * math.Pow(10, 16*random.Float64()-8))
		}
	},
	"small beside a great one": func(_ *rand.Rand, a, b []float32) {
		for i := range a {
			a[i], b[i] = 0x1p-25, 1
		}
		a[0] = 1
	},
	"with subnormal products": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i] = float32(random.NormFloat64() * 0x1p-70)
			b[i] = float32(random.NormFloat64() * 0x1p-70)
		}
	},
	"with subnormal operands": func(random *rand.Rand, a, b []float32) {
		for i := range a {
			a[i] = float32(random.NormFloat64() * 0x1p-128)
			b[i] = float32(random.NormFloat64() * 0x1p20)
		}
	},
}

// exactly sums products of float32 numbers without rounding.
func exactly(a, b []float32) *big.Float {
	s := new(big.Float).SetPrec(1200)
	for i := range a {
		x, y := big.NewFloat(float64(a[i])), big.NewFloat(float64(b[i]))
		s.Add(s, new(big.Float).SetPrec(64).Mul(x, y))
	}
	return s
}

var _ = Describe("the bound of a sum of products", func() {
	for data, fill := range terms {
		It(fmt.Sprintf("holds in every order for terms that are %s", data), func(ctx SpecContext) {
			for _, k := range []int{1, 2, 3, 17, 256, 4096, 100_000} {
				a, b := make([]float32, k), make([]float32, k)
				fill(rand.New(rand.NewPCG(1, uint64(k))), a, b)
				n := node("MatMul", nil, float32s(tensor.Shape{1, k}, a), float32s(tensor.Shape{k, 1}, b))
				exact := exactly(a, b)
				for order, sum := range orders {
					got := sum(a, b)
					r := ratio(ctx, n, float32s(tensor.Shape{1, 1}, []float32{got}))
					what := fmt.Sprintf("%d terms %s: %+v", k, order, r)
					Expect(r.Ratio).To(BeNumerically("<=", 1), what)
					Expect(r.Open).To(BeZero(), what)
					// The bound is one of the distance to the exact sum, too.
					d, _ := new(big.Float).Sub(exact, big.NewFloat(float64(got))).Float64()
					Expect(math.Abs(d)).To(BeNumerically("<=", r.Bound), what)
					own, _ := new(big.Float).Sub(exact, big.NewFloat(r.Want)).Float64()
					Expect(math.Abs(own)).To(BeNumerically("<=", r.Bound*0x1p-20), what)
				}
			}
		})
	}

	It("is reached by an order that rounds every time", func(ctx SpecContext) {
		// Half a unit is lost in each addition, so the error is K·u: the bound is not too wide.
		const k = 1 << 12
		a, b := make([]float32, k), make([]float32, k)
		terms["small beside a great one"](nil, a, b)
		n := node("MatMul", nil, float32s(tensor.Shape{1, k}, a), float32s(tensor.Shape{k, 1}, b))
		r := ratio(ctx, n, float32s(tensor.Shape{1, 1}, []float32{orders["one by one"](a, b)}))
		Expect(r.Ratio).To(BeNumerically(">", 0.45))
	})

	It("says nothing about sums that may overflow", func(ctx SpecContext) {
		a := []float32{3e38, 3e38, -3e38}
		n := node("MatMul", nil, float32s(tensor.Shape{1, 3}, a),
			float32s(tensor.Shape{3, 1}, []float32{1, 1, 1}))
		r := ratio(ctx, n, float32s(tensor.Shape{1, 1}, []float32{float32(math.Inf(1))}))
		Expect(r.Judged).To(Equal(1))
		Expect(r.Open).To(Equal(1))
		Expect(r.Ratio).To(BeZero())
	})

	It("says nothing about a float16 sum of too many terms", func(ctx SpecContext) {
		a := slices.Repeat([]float32{1}, 2048)
		n := node("MatMul", nil, float32s(tensor.Shape{1, 2048}, a), float32s(tensor.Shape{2048, 1}, a))
		r, err := bound.Judge(ctx, n, bound.Float16, float32s(tensor.Shape{1, 1}, a[:1]), nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Open).To(Equal(1))
	})

	It("is infinitely exceeded by NaN", func(ctx SpecContext) {
		one := float32s(tensor.Shape{1, 1}, []float32{1})
		r := ratio(ctx, node("MatMul", nil, one, one),
			float32s(tensor.Shape{1, 1}, []float32{float32(math.NaN())}))
		Expect(r.Ratio).To(Equal(math.Inf(1)))
	})

	It("is computed for the suspects of a product that is too large", func(ctx SpecContext) {
		const n = 544
		random := rand.New(rand.NewPCG(1, 1))
		a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
		terms["random"](random, a, b)
		for i := range c { // the products
			for k := range n {
				c[i] += float32(a[i/n*n+k] * b[k*n+i%n])
			}
		}
		shape := tensor.Shape{n, n}
		product := node("MatMul", nil, float32s(shape, a), float32s(shape, b))
		Expect(ratio(ctx, product, float32s(shape, c)).Ratio).To(BeNumerically("<", 1))
		const at = 123_457
		c[at] += 0.1
		r, err := bound.Judge(ctx, product, bound.Float32, float32s(shape, c), []int{at})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Judged).To(BeNumerically("<", n*n))
		Expect(r.Element).To(Equal(at))
		Expect(r.Ratio).To(BeNumerically(">", 1))
	})
})
