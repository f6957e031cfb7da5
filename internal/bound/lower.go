package bound

import (
	"math"
	"math/rand/v2"

	"github.com/modelparity/modelparity/tensor"
)

// Deviation is an element of the output of a matrix multiplication or convolution whose error shows
// that the engine computes in a lower precision than the output's type.
type Deviation struct {
	Element, Terms     int
	Got, Want, Allowed float64
}

// Lower looks for evidence that an engine computes a MatMul, Gemm or Conv in a lower precision than
// the output's type. It checks some randomly chosen elements of the output, and returns the first
// element whose error exceeds 16·u·(√Σ(pₖ² + sₖ²) + y/8). Here u is the unit roundoff of the
// output's type, pₖ are the products, sₖ are the partial sums, and y is the largest result.
//
// On average, rounding changes each pₖ and sₖ by u/√3 of its size, and partial sums have similar
// sizes in any order of addition. The term y/8 is for fast convolution algorithms, whose rounding
// errors depend on neighbouring results. The limit accepts an engine that keeps 21 of 24 bits and
// rejects TF32, which keeps 11. [Judge] uses a looser limit, which holds for any order of addition:
// in sums of a few hundred products, it would accept TF32 too.
//
// ok is false if the node is not a MatMul, Gemm or Conv of float32 or float64, or cannot be
// computed.
func Lower(n Node, output *tensor.Tensor, elements int) (found *Deviation, ok bool) {
	elem := output.ElementType()
	if elem != tensor.Float32 && elem != tensor.Float64 || output.Len() == 0 {
		return nil, false
	}
	a := Float32
	if elem == tensor.Float64 {
		a = Float64
	}
	c, err := n.computing(a, output)
	if err != nil || c.sum == nil {
		return nil, false
	}
	f, greatest := formatOf(elem), 0.0
	for i := range output.Len() {
		if v := math.Abs(output.Float64At(i)); v-v == 0 {
			greatest = max(greatest, v)
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(output.Len())))
	for range elements {
		d := Deviation{Element: random.IntN(output.Len())}
		sum := c.sum(d.Element)
		c.group(d.Element, func(_ int, n number) { d.Want = n.v })
		bias := d.Want - sum.v
		terms := float64(sum.terms)
		d.Terms, d.Got = sum.terms, output.Float64At(d.Element)
		spread := math.Sqrt(sum.squares + float64(terms*bias*bias))
		d.Allowed = float64(16*f.u*(spread+float64(greatest/8))) + float64(terms*f.least)
		if sum.magnitude < f.most/2 && !(math.Abs(d.Got-d.Want) <= d.Allowed) {
			return &d, true
		}
	}
	return nil, true
}
