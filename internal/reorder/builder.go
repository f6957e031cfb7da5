package reorder

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// builder collects new nodes. Each method adds nodes and returns the name of the tensor that these
// nodes compute, so that later nodes can read the tensor.
type builder struct {
	*plan
	nodes []edit.NewNode
}

// add appends a node with a single output, and returns the name of the output.
func (b *builder) add(op string, attributes []edit.NodeAttribute, inputs ...string) string {
	out := b.fresh()
	b.nodes = append(b.nodes, edit.NewNode{Op: op, Inputs: slices.Clone(inputs),
		Outputs: []string{out}, Attributes: attributes})
	return out
}

// constant appends a Constant node and returns the name of the node's output. A non-nil err is
// recorded in the plan.
func (b *builder) constant(t *tensor.Tensor, err error) string {
	if err != nil {
		b.failed = err
	}
	out := b.fresh()
	b.nodes = append(b.nodes, edit.NewNode{Op: "Constant", Outputs: []string{out}, Value: t})
	return out
}

func (b *builder) integer(v int64) string {
	return b.constant(tensor.New(tensor.Shape{1}, []int64{v}))
}

// scalar appends a scalar constant of type elem, which must be float32 or float64.
func (b *builder) scalar(elem tensor.ElementType, v float64) string {
	if elem == tensor.Float64 {
		return b.constant(tensor.New(tensor.Shape{}, []float64{v}))
	}
	return b.constant(tensor.New(tensor.Shape{}, []float32{float32(v)}))
}

func axisAt(axis int) []edit.NodeAttribute {
	return []edit.NodeAttribute{{Name: "axis", Value: int64(axis)}}
}

// random appends a node that draws uniform random numbers from low to high. The result has the
// shape of the tensor named template, and is float64 if elem is float64, and float32 otherwise.
func (b *builder) random(template string, elem tensor.ElementType, low, high float64) string {
	b.seed++
	kind := int64(1) // FLOAT
	if elem == tensor.Float64 {
		kind = 11 // DOUBLE
	}
	return b.add("RandomUniformLike", []edit.NodeAttribute{{Name: "dtype", Value: kind},
		{Name: "low", Value: float32(low)}, {Name: "high", Value: float32(high)},
		{Name: "seed", Value: float32(b.seed)}}, template)
}

// firstSized is the first opset in which the number of elements that TopK returns is an input.
const firstSized = 10

// sized reports whether [builder.order] can draw a permutation for an axis of a tensor. It can if
// the size of the axis is known, or if the opset has a TopK that reads its count from an input.
func (p *plan) sized(of string, axis int) bool {
	return p.opset >= firstSized || p.size(of, axis) > 0
}

// order draws a random permutation of the indices of a tensor along an axis. It returns the name of
// the tensor of permuted indices.
func (b *builder) order(of string, axis int) string {
	if b.opset < firstSized {
		n := b.size(of, axis)
		b.seed++
		return b.indices(b.add("RandomUniform", []edit.NodeAttribute{{Name: "shape",
			Value: []int64{int64(n)}}, {Name: "seed", Value: float32(b.seed)}}), "", n)
	}
	size := b.add("Gather", axisAt(0), b.add("Shape", nil, of), b.integer(int64(axis)))
	zeros := b.add("ConstantOfShape", nil, size)
	keys := b.random(zeros, tensor.Float32, 0, 1)
	return b.indices(keys, size, 0)
}

// inverse returns the inverse of a permutation of n indices. order names the tensor of the permuted
// indices.
func (b *builder) inverse(order string, n int) string {
	keys := b.add("Neg", nil, b.cast(order, tensor.Float32))
	if b.opset < firstSized {
		return b.indices(keys, "", n)
	}
	return b.indices(keys, b.add("Shape", nil, order), 0)
}

// indices returns the indices that sort keys in descending order. TopK must know the number of
// keys. From opset 10 on, size names a tensor that contains the number. Before that, size is "" and
// n is the number.
func (b *builder) indices(keys, size string, n int) string {
	values, indices := b.fresh(), b.fresh()
	top := edit.NewNode{Op: "TopK", Inputs: []string{keys}, Outputs: []string{values, indices}}
	if size == "" {
		top.Attributes = []edit.NodeAttribute{{Name: "k", Value: int64(n)}}
	} else {
		top.Inputs = append(top.Inputs, size)
	}
	b.nodes = append(b.nodes, top)
	return indices
}

// along returns the tensor t with its slices along an axis in the given order. order names a tensor
// of indices.
func (b *builder) along(t string, axis int, order string) string {
	return b.add("Gather", axisAt(axis), t, order)
}

// moved returns the tensor t with random relative errors. The errors are distributed uniformly from
// 0 to largest·u, where u is the unit roundoff. All errors reduce the magnitude, so that the
// largest finite number stays finite.
func (b *builder) moved(t string, elem tensor.ElementType, largest float64) string {
	return b.widened(t, elem, func(y string, wide tensor.ElementType) string {
		errors := b.random(t, elem, 0, largest*unit(elem))
		return b.add("Mul", nil, y, b.add("Sub", nil, b.scalar(wide, 1), errors))
	})
}

// widened applies change to the tensor t in float64 or float32, and converts the result back to
// elem, which is the type of t.
func (b *builder) widened(t string, elem tensor.ElementType,
	change func(y string, wide tensor.ElementType) string) string {
	if elem == tensor.Float64 || elem == tensor.Float32 {
		return change(t, elem)
	}
	return b.cast(change(b.cast(t, tensor.Float32), tensor.Float32), elem)
}

// shifted returns the tensor t, which op has computed, with random absolute errors. The errors are
// distributed uniformly from -floor·u to floor·u, where u is the unit roundoff. Near the ends of
// op's range they may be larger; see [ends].
func (b *builder) shifted(t, op string, elem tensor.ElementType, floor float64) string {
	return b.widened(t, elem, func(y string, wide tensor.ElementType) string {
		u := unit(elem)
		errors := b.random(t, elem, -floor*u, floor*u)
		if of, ok := ends[op]; ok {
			from := b.add("Abs", nil, b.add("Sub", nil, y, b.scalar(wide, of.middle)))
			toEnd := b.add("Abs", nil, b.add("Sub", nil, from, b.scalar(wide, of.half)))
			width := b.add("Relu", nil, b.add("Sub", nil, b.scalar(wide, of.width*u), toEnd))
			errors = b.add("Add", nil, errors, b.add("Mul", nil, width, b.random(t, elem, -1, 1)))
		}
		return b.add("Add", nil, y, errors)
	})
}

func (b *builder) cast(t string, to tensor.ElementType) string {
	out := b.fresh()
	b.nodes = append(b.nodes, edit.NewNode{Op: "Cast", Inputs: []string{t}, Outputs: []string{out},
		To: to})
	return out
}

// unit returns the unit roundoff u of a type, which is the largest relative error of rounding: half
// the distance between 1 and the next larger number.
func unit(elem tensor.ElementType) float64 {
	switch elem {
	case tensor.Float64:
		return 0x1p-53
	case tensor.Float16:
		return 0x1p-11
	case tensor.BFloat16:
		return 0x1p-8
	}
	return 0x1p-24
}

// fresh returns an unused tensor name.
func (p *plan) fresh() string {
	p.count++
	return fmt.Sprintf("%s%d", p.prefix, p.count)
}
