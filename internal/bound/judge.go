package bound

import (
	"context"
	"fmt"
	"math"
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
	// Usual is the root mean square of the engine's errors, divided by the root mean square of the
	// errors of float32 sums added one term at a time. It is 0 if the node is not a MatMul, Gemm or
	// Conv in float32, or if it has too few elements. Engines add in orders that are at least as
	// accurate, so a value of [Unusual] or more suggests a lower precision, but does not prove it.
	Usual float64
}

// Unusual is the threshold for [Ratio.Usual]: from this value on, the engine probably computes in a
// lower precision. Correct engines stay below 4.
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
	// sum returns the dot product behind an element. It is nil if the node is not a MatMul, Gemm or
	// Conv, or if the node scales the dot product.
	sum    func(g int) dot
	stored bool // whether an engine stores all operands exactly
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
		all.Usual = c.usual(s, output, groups)
	}
	return all, nil
}

// [computation.usual] averages the errors of about enoughErrors elements. It returns 0 if fewer
// than fewestErrors elements have an error bound.
const enoughErrors, fewestErrors = 256, 16

// usual computes [Ratio.Usual].
func (c *computation) usual(s storing, output *tensor.Tensor, groups []int) float64 {
	found, usual, count := 0.0, 0.0, 0
	for i := 0; i < len(groups); i += (len(groups) + enoughErrors - 1) / enoughErrors {
		sum := c.sum(groups[i])
		c.group(groups[i], func(at int, n number) {
			if _, ok := s.bound(n); !ok {
				return
			}
			d, rounded := output.Float64At(at)-n.v, s.as.u*n.v
			found += float64(d * d)
			usual += sum.usual(s.as) + float64(rounded*rounded)
			count++
		})
	}
	if usual == 0 || count < fewestErrors {
		return 0
	}
	return math.Sqrt(found / usual)
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
