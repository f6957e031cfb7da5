package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Ratio is the largest ratio of an output element's error to its error bound. A ratio above 1
// proves that the engine is wrong.
type Ratio struct {
	Ratio   float64 // +Inf if the engine's value is not finite, but the float64 value is
	Element int     // position in the flattened output
	// Got, Want and Bound are the engine's value, the float64 value and the bound for Element.
	Got, Want, Bound float64
	// Judged is the number of elements computed. Open is the number of these that have no bound:
	// because they overflow, because they are not finite, or because the sum is too long for its type.
	Judged, Open int
	// Usual is the root mean square of the engine's errors, divided by the error that float32 sums
	// typically have if they are added one term at a time. It is 0 if the node is not a MatMul, Gemm
	// or Conv in float32, or if it has too few elements. Engines add in orders that are at least as
	// accurate, so a value of [Unusual] or more suggests a lower precision, but does not prove it.
	Usual float64
}

// Unusual is the threshold for [Ratio.Usual] and [Usual]: from this value on, the engine probably
// computes in a lower precision. Correct engines stay below 4. An engine that keeps 20 of 24 bits
// stays below 32. TF32 keeps 11 bits, and exceeds 32.
const Unusual = 32

// mostTerms limits the number of terms that one call of [Judge] adds up. This many take about a
// second.
const mostTerms = 1 << 27

// computation computes a node's first output in independent groups of elements. In a large
// computation, each group is a single element, so that some elements can be skipped.
type computation struct {
	shape  tensor.Shape
	groups int
	terms  int // of a group
	group  func(g int, put func(i int, n number))
	sum    func(g int) total // an element's sum; nil if the node is not a MatMul, Gemm or Conv
	stored bool              // whether an engine stores all operands exactly
}

func inGroups(shape tensor.Shape, groups, terms int,
	group func(g int, put func(int, number))) *computation {
	return &computation{shape: shape, groups: groups, terms: terms, group: group}
}

// Judge compares an engine's result for the first output of a node with the float64 result. If
// there are too many elements, it judges the elements listed in suspects and an evenly spaced
// sample of the others. The error is an [*Unknown] if this package cannot compute the node.
func Judge(ctx context.Context, n Node, a Arithmetic, output *tensor.Tensor, suspects []int) (
	Ratio, error) {
	c, err := n.computing(a, output)
	if err != nil {
		return Ratio{}, err
	}
	return c.judge(ctx, storing{a, formatOf(output.ElementType())}, output, c.chosen(suspects))
}

// computing prepares to compute the node's first output. It fails if the given output, which an
// engine has computed, has the wrong shape or is not a float of 16 or more bits.
func (n *Node) computing(a Arithmetic, output *tensor.Tensor) (*computation, error) {
	if !output.ElementType().IsFloat() || output.ElementType().Bits() < 16 {
		return nil, &Unknown{fmt.Sprintf("%s with output type %v", n.Op, output.ElementType())}
	}
	c, err := n.computation(a)
	if err == nil && !output.Shape().Equal(c.shape) {
		err = fmt.Errorf("%s: expected output shape %v, got %v", n.Op, c.shape, output.Shape())
	}
	return c, err
}

// chosen returns the groups to compute: all of them or, if there are too many, the suspects and an
// evenly spaced sample.
func (c *computation) chosen(suspects []int) []int {
	count := min(c.groups, max(1, mostTerms/max(1, c.terms)))
	list := make([]int, 0, count+len(suspects))
	for i := range count {
		list = append(list, int(float64(i)*float64(c.groups)/float64(count)))
	}
	if elements, _ := c.shape.Elements(); count < c.groups && elements == c.groups {
		list = append(list, suspects...)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

// storing describes how an engine stores its results.
type storing struct {
	Arithmetic
	as format
}

// bound returns the error bound of a number, including the error of rounding the result for
// storage. ok is false if the stored result may overflow.
func (s storing) bound(n number) (e float64, ok bool) {
	sums := formatOf(s.Sums)
	e = n.e + float64((s.as.u+s.Operand)*n.most()) + max(s.as.least, sums.least)
	return e, math.Abs(n.v)+e < min(s.as.most, sums.most)
}

func (c *computation) judge(ctx context.Context, s storing, output *tensor.Tensor, groups []int) (
	Ratio, error) {
	var all Ratio
	put := func(i int, n number) { all.judge(i, output.Float64At(i), n, s) }
	for _, g := range groups {
		if ctx.Err() != nil {
			return Ratio{}, context.Cause(ctx)
		}
		c.group(g, put)
	}
	if c.stored && s.Sums == tensor.Float32 && s.as == formatOf(tensor.Float32) {
		var some []int
		for i := 0; i < len(groups); i += (len(groups) + enoughErrors - 1) / enoughErrors {
			some = append(some, groups[i])
		}
		all.Usual, _ = c.usual(s, output, some)
	}
	return all, nil
}

// Usual returns [Ratio.Usual] for some randomly chosen elements of a node's output. For a float64
// output, it compares the errors with the typical errors of float64 sums, not float32 sums. Usual
// is much faster than [Judge]. It can also detect lower precision in long sums, for which
// [Ratio.Bound] is too large. ok is false if the node is not a MatMul, Gemm or Conv of float32 or
// float64, or if it cannot be computed.
func Usual(n Node, output *tensor.Tensor, elements int) (ratio float64, ok bool) {
	a := Float32
	switch output.ElementType() {
	case tensor.Float32:
	case tensor.Float64:
		a = Float64
	default:
		return 0, false
	}
	c, err := n.computing(a, output)
	if err != nil || c.sum == nil || output.Len() == 0 {
		return 0, false
	}
	random := rand.New(rand.NewPCG(1, uint64(output.Len())))
	groups := make([]int, elements)
	for i := range groups {
		groups[i] = random.IntN(output.Len())
	}
	return c.usual(storing{a, formatOf(output.ElementType())}, output, groups)
}

// enoughErrors is the approximate number of elements from which [Ratio.Usual] is computed, and
// fewestErrors is the minimum.
const enoughErrors, fewestErrors = 256, 16

// usual computes [Ratio.Usual] from the given elements of output. ok is false if too few of them
// have an error bound. A fast convolution algorithm can mix errors of neighbouring results into a
// result. To allow for this, usual adds a term to each sum when it computes the sum's typical
// error. The size of the term is one eighth of the largest magnitude in output.
func (c *computation) usual(s storing, output *tensor.Tensor, elements []int) (ratio float64,
	ok bool) {
	largest := 0.0
	for i := range output.Len() {
		if v := math.Abs(output.Float64At(i)); v-v == 0 {
			largest = max(largest, v)
		}
	}
	found, usual, count := 0.0, 0.0, 0
	for _, i := range elements {
		sum := c.sum(i)
		if _, ok := s.bound(sum.result(0)); !ok {
			continue
		}
		d := output.Float64At(i) - sum.v
		found += float64(d * d)
		sum.squares += float64(largest * largest / 64)
		usual += sum.usual()
		count++
	}
	if usual == 0 || count < fewestErrors {
		return 0, false
	}
	if ratio = math.Sqrt(found / usual); math.IsNaN(ratio) {
		ratio = math.Inf(1)
	}
	return ratio, true
}

// judge compares the engine's value of element i with the float64 value n, and updates r.
func (r *Ratio) judge(i int, got float64, n number, s storing) {
	r.Judged++
	e, ok := s.bound(n)
	if !ok { // also for NaN
		r.Open++
		return
	}
	ratio := math.Abs(got-n.v) / e
	if math.IsNaN(ratio) {
		ratio = math.Inf(1)
	}
	if ratio > r.Ratio || r.Judged-r.Open == 1 || ratio == r.Ratio && i < r.Element {
		r.Ratio, r.Element, r.Got, r.Want, r.Bound = ratio, i, got, n.v, e
	}
}
