package precision

import (
	"math"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// blocks maps each block format to the number of values that share a scale. A block's values are
// neighbours along the reduction axis. These formats round only the inputs of MatMul and Gemm nodes
// with a constant second input, because engines use them for nothing else.
var blocks = map[Format]int{INT4: 32, NVFP4: 16, MXFP8: 32}

// least prevents divisions of 0 by 0 in the nodes that round to MXFP8 or NVFP4, which divide the
// values of a block by the block's scale. For MXFP8, the scale is computed from the largest
// magnitude in the block or, if that is smaller, from least. For both formats, the nodes divide by
// at least 2⁻²⁴·least.
const least = 0x1p-60

// sumAxis returns the axis of a weight along which a MatMul or Gemm sums. It returns −1 if no
// MatMul or Gemm reads the weight as its second input.
func sumAxis(c loaders.Constant) int {
	for _, u := range c.Uses {
		if rank := len(c.Values.Shape()); u.Input == 1 && (u.Op == "MatMul" && rank > 1 ||
			u.Op == "Gemm" && rank == 2) {
			if axis := channels(c); axis == rank-1 {
				return rank - 2
			}
			return rank - 1
		}
	}
	return -1
}

// sumLengths finds the float32 weights that a block format rounds. It returns the length of each
// weight's reduction axis, by name.
func sumLengths(model *loaders.Model) (map[string]int, error) {
	lengths := map[string]int{}
	err := edit.Constants(model, func(c loaders.Constant) error {
		if axis := sumAxis(c); axis >= 0 && c.Values.ElementType() == tensor.Float32 {
			lengths[c.Name] = c.Values.Shape()[axis]
		}
		return nil
	})
	return lengths, err
}

// whole returns the scale of a whole NVFP4 tensor, given its largest magnitude. The block that
// contains the largest magnitude then gets E4M3's maximum, 448, as its own scale.
func whole(largest float64) float32 {
	if scale := float32(largest) / 6 / 448; scale != 0 {
		return scale
	}
	return 1
}

// blockScale returns the scale of a block. largest is the largest magnitude of the whole tensor.
//
//   - INT4: the scale maps the value of largest magnitude, whatever its sign, to −8, as MatMulNBits
//     does.
//   - NVFP4: the scale maps the largest magnitude to 6. It is itself rounded to E4M3, in units of
//     the tensor's scale, and may become zero.
//   - MXFP8: the scale is the power of two that maps the largest magnitude into [256, 512), as in
//     the Open Compute Project's specification; magnitudes above 448 saturate.
func (f Format) blockScale(block []float32, largest float64) float32 {
	extreme := float32(0)
	for _, v := range block {
		if math.Abs(float64(v)) > math.Abs(float64(extreme)) {
			extreme = v
		}
	}
	most := float32(math.Abs(float64(extreme)))
	switch f {
	case INT4:
		return extreme / -8
	case NVFP4:
		scale := float64(1)
		if most != 0 {
			scale = MXFP8.round(float64(most/6/whole(largest)), 0) // E4M3
		}
		return float32(scale) * whole(largest)
	}
	exponent := -127
	if most != 0 {
		exponent = max(exponent, math.Ilogb(float64(most))-8)
	}
	return float32(math.Ldexp(1, exponent))
}

// blocks rounds a weight in blocks along an axis.
func (g *grid) blocks(t *tensor.Tensor, axis int) (*tensor.Tensor, error) {
	values, err := tensor.Values[float32](t)
	if err != nil {
		return nil, err
	}
	length := t.Shape()[axis]
	inner, _ := t.Shape()[axis+1:].Elements()
	rounded, most := make([]float32, len(values)), largest(t)
	block := make([]float32, 0, blocks[g.format])
	for start := range len(values) / max(1, length) {
		first := start/inner*inner*length + start%inner
		for k := 0; k < length; k += cap(block) {
			block = block[:0]
			for i := k; i < min(k+cap(block), length); i++ {
				block = append(block, values[first+i*inner])
			}
			scale := g.format.blockScale(block, most)
			for i, v := range block {
				at := first + (k+i)*inner
				switch {
				case scale-scale != 0:
					rounded[at] = v // the block has infinities or NaN
				case scale != 0:
					rounded[at] = float32(g.format.round(float64(v/scale), g.shift())) * scale
				}
			}
		}
	}
	return tensor.New(t.Shape(), rounded)
}

// blockNodes returns nodes that round an activation in blocks along its last axis, which has the
// given length. largest is the largest magnitude that was measured in the whole tensor.
func (f Format) blockNodes(from, to string, opset int64, largest float64, length int,
) []edit.NewNode {
	b := &builder{prefix: to + suffix, last: from}
	size := blocks[f]
	padded := (length + size - 1) / size * size
	if padded != length { // fill the last block with zeros; multiplying by an identity is exact
		b.last = b.node("MatMul", b.last, b.identity(length, padded))
	}
	shape := b.node("Shape", b.last)
	b.last = b.node("Reshape", b.last, b.constant(tensor.Of(-1, int64(size))))
	values := b.last
	b.last = b.node("Abs", b.last)
	reduce := edit.NewNode{Op: "ReduceMax", Inputs: []string{b.last}}
	if opset < 18 {
		reduce.Attributes = []edit.NodeAttribute{{Name: "axes", Value: []int64{1}}}
	} else {
		reduce.Inputs = append(reduce.Inputs, b.constant(tensor.Of[int64](1)))
	}
	reduce.Outputs = []string{b.name()}
	b.nodes, b.last = append(b.nodes, reduce), reduce.Outputs[0]
	if f == NVFP4 {
		b.with("Div", 6)
		b.with("Div", float64(whole(largest)))
		b.with("Min", 448)
		b.significant(floats[MXFP8])
		b.with("Mul", float64(whole(largest)))
	} else {
		b.with("Max", least)
		b.with("Mul", 0x1p-24) // against an overflow
		b.last = b.power(b.last)
		b.with("Mul", 0x1p16)
	}
	scale := b.last
	b.with("Max", least*0x1p-24)
	b.last = b.node("Div", values, b.last)
	b.with("Min", f.top())
	b.with("Max", -f.top())
	b.significant(floats[f])
	b.last = b.node("Mul", b.last, scale)
	b.last = b.node("Reshape", b.last, shape)
	if padded != length {
		b.last = b.node("MatMul", b.last, b.identity(padded, length))
	}
	return b.done(to)
}

func (b *builder) identity(rows, columns int) string {
	values := make([]float32, rows*columns)
	for i := range min(rows, columns) {
		values[i*columns+i] = 1
	}
	t, _ := tensor.New(tensor.Shape{rows, columns}, values)
	return b.constant(t)
}

// power appends nodes that round each value of the tensor x down to a power of two, and returns the
// name of the result. The values must be positive and below 2¹⁰⁴.
func (b *builder) power(x string) string {
	b.last = x
	b.split(1) // rounds to one of the two nearest powers
	nearest := b.last
	b.last = b.node("Greater", nearest, x)
	b.nodes = append(b.nodes, edit.NewNode{Op: "Cast", Inputs: []string{b.last},
		Outputs: []string{b.last + "/is"}, To: tensor.Float32})
	b.last += "/is"
	b.with("Mul", -0.5)
	b.with("Add", 1)
	return b.node("Mul", nearest, b.last)
}

// significant appends nodes that round the last tensor to the numbers of a floating-point format,
// ties to even. Its values must not exceed the format's largest number.
func (b *builder) significant(f float) {
	x := b.last
	b.last = b.node("Abs", x)
	b.with("Max", math.Ldexp(1, f.least))
	power := b.power(b.last)
	b.last = b.node("Div", x, power)
	b.multiples(math.Ldexp(1, 1-f.bits))
	b.last = b.node("Mul", b.last, power)
}
