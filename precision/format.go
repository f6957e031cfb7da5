package precision

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Format is a number format to which models can be rounded.
type Format string

// The formats. FP16 and BF16 round every tensor between the nodes of a graph, as engines that store
// tensors in these formats do. The other formats round only the inputs of matrix multiplications
// and convolutions, as tensor cores and quantised kernels do. The operators are Conv,
// ConvTranspose, Gemm, MatMul, LSTM, GRU and RNN.
const (
	FP16 Format = "fp16" // 11 significant bits, up to 65504; larger numbers become infinite
	BF16 Format = "bf16" // 8 significant bits, the range of float32
	TF32 Format = "tf32" // 11 significant bits, the range of float32
	// FP8 (E4M3) has 4 significant bits and a maximum of 448. FP8E5M2 has 3 significant bits and a
	// maximum of 57344. Each activation tensor, and each output channel of a weight, is scaled so
	// that its largest magnitude becomes the format's maximum.
	FP8     Format = "fp8"
	FP8E5M2 Format = "fp8e5m2"
	// INT8 rounds to the integers from −127 to 127, and is scaled like FP8.
	INT8 Format = "int8"
	// INT4, NVFP4 and MXFP8 have one scale per block of 32, 16 and 32 values respectively. They round
	// only the inputs of MatMul and Gemm nodes with a constant weight.
	//
	// INT4 rounds only the weight, to integers from −8 to 7, as ONNX Runtime's MatMulNBits stores it.
	// NVFP4 has 2 significant bits (E2M1), and scales in E4M3. MXFP8 is E4M3, and its scales are
	// powers of two.
	INT4  Format = "int4"
	NVFP4 Format = "nvfp4"
	MXFP8 Format = "mxfp8"
)

var formats = []Format{FP16, BF16, TF32, FP8, FP8E5M2, INT8, INT4, NVFP4, MXFP8}

// Parse parses a format's name, ignoring case.
func Parse(text string) (Format, error) {
	for _, f := range formats {
		if strings.EqualFold(text, string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("precision: unknown format %q: expected one of %v", text, formats)
}

// GoString returns the format as Go source: precision.FP16.
func (f Format) GoString() string { return "precision." + strings.ToUpper(string(f)) }

type float struct {
	bits    int     // significant bits, including the leading one
	least   int     // the exponent of the smallest normal number
	largest float64 // the largest finite number; 0 if the same as in float32
	scaled  bool    // tensors are scaled so that their maximum is largest; rounding saturates there
}

var floats = map[Format]float{
	FP16:    {bits: 11, least: -14, largest: 65504},
	BF16:    {bits: 8, least: -126},
	TF32:    {bits: 11, least: -126},
	FP8:     {bits: 4, least: -6, largest: 448, scaled: true},
	FP8E5M2: {bits: 3, least: -14, largest: 57344, scaled: true},
	NVFP4:   {bits: 2, least: 0, largest: 6, scaled: true},
	MXFP8:   {bits: 4, least: -6, largest: 448, scaled: true},
	INT8:    {largest: 127, scaled: true}, // integers have no fixed number of significant bits
	INT4:    {largest: 7, scaled: true},   // its scale maps the largest magnitude to −8
}

// scaled reports whether rounding needs a tensor's largest magnitude.
func (f Format) scaled() bool { return floats[f].scaled }

func (f Format) integers() bool { return f == INT8 || f == INT4 }

// everywhere reports whether all tensors are rounded, rather than only the inputs of matrix
// multiplications and convolutions.
func (f Format) everywhere() bool { return f == FP16 || f == BF16 }

// stored returns the element type in which engines store tensors between nodes: the format itself
// for FP16 and BF16, float32 for TF32, and float16 for all other formats.
func (f Format) stored() tensor.ElementType {
	switch f {
	case TF32:
		return tensor.Float32
	case BF16:
		return tensor.BFloat16
	}
	return tensor.Float16
}

// top returns a scaled format's largest value, to which a tensor's largest magnitude is scaled.
func (f Format) top() float64 { return floats[f].largest }

// round rounds v to the format. For scaled formats, v is in units of the scale. shift moves the
// representable numbers by a fraction, between -½ and ½, of the distance between neighbours. With a
// shift of 0, round returns the nearest representable number. With a random shift, the errors are
// as large as with a shift of 0, but they are independent of v. Zero stays zero.
func (f Format) round(v, shift float64) float64 {
	if v == 0 || v-v != 0 {
		return v
	}
	step, of := 1.0, floats[f]
	if !f.integers() {
		step = math.Ldexp(1, max(math.Ilogb(v), of.least)-of.bits+1)
	}
	rounded := (math.RoundToEven(v/step+shift) - shift) * step
	switch {
	case f == INT4:
		rounded = max(-8, min(of.largest, rounded))
	case of.scaled:
		rounded = max(-of.largest, min(of.largest, rounded))
	case of.largest > 0 && math.Abs(rounded) >= of.largest+float64(step/2):
		rounded = math.Inf(int(math.Copysign(1, rounded)))
	}
	return rounded
}

// nodes returns nodes that round a tensor to the nearest numbers of the format. from and to are the
// names of the tensor and of the result. largest is the tensor's largest magnitude; only scaled
// formats need it.
func (f Format) nodes(from, to string, opset int64, largest float64) []edit.NewNode {
	switch {
	case f == FP16:
		return casts(from, to, tensor.Float16)
	case f == BF16 && opset >= bfloat16Opset:
		return casts(from, to, tensor.BFloat16)
	}
	b := &builder{prefix: to + suffix, last: from}
	if !f.scaled() {
		// Veltkamp's splitting (Dekker 1971) keeps p of 24 bits, rounded to the nearest: c − (c −
		// x) with c = x·(2²⁴⁻ᵖ+1). The splitting is applied to 2⁻²⁴·x, so that c does not overflow;
		// scaling the result back restores infinities.
		b.with("Min", math.MaxFloat32)
		b.with("Max", -math.MaxFloat32)
		b.with("Mul", 0x1p-24)
		b.split(floats[f].bits)
		b.with("Mul", 0x1p24)
		return b.done(to)
	}
	scale := largest / f.top()
	if largest == 0 {
		scale = 1
	}
	b.with("Div", scale)
	b.with("Min", f.top())
	b.with("Max", -f.top())
	if f == INT8 {
		b.multiples(1)
	} else {
		b.significant(floats[f])
	}
	b.with("Mul", scale)
	return b.done(to)
}

const (
	// bfloat16Opset is the first opset whose Cast supports bfloat16.
	bfloat16Opset = 13
	// suffix marks the names of tensors and constants that are added to a model to round it.
	suffix = "/rounding/"
)

func casts(from, to string, elem tensor.ElementType) []edit.NewNode {
	short := to + suffix + elem.String()
	return []edit.NewNode{
		{Op: "Cast", Inputs: []string{from}, Outputs: []string{short}, To: elem},
		{Op: "Cast", Inputs: []string{short}, Outputs: []string{to}, To: tensor.Float32},
	}
}

type builder struct {
	prefix, last string
	nodes        []edit.NewNode
}

func (b *builder) name() string { return fmt.Sprintf("%s%d", b.prefix, len(b.nodes)) }

func (b *builder) node(op string, inputs ...string) string {
	name := b.name()
	b.nodes = append(b.nodes, edit.NewNode{Op: op, Inputs: inputs, Outputs: []string{name}})
	return name
}

func (b *builder) constant(value *tensor.Tensor) string {
	name := b.name()
	b.nodes = append(b.nodes, edit.NewNode{Op: "Constant", Outputs: []string{name}, Value: value})
	return name
}

// with appends a node that applies op to the last tensor and a number.
func (b *builder) with(op string, number float64) {
	// The number is a scalar, because a constant with dimensions could increase the tensor's rank.
	b.last = b.node(op, b.last, b.constant(tensor.Scalar(float32(number))))
}

// split appends nodes that round the last tensor to the given number of significant bits.
func (b *builder) split(bits int) {
	x := b.last
	b.with("Mul", math.Ldexp(1, 24-bits)+1)
	c := b.last
	b.last = b.node("Sub", c, b.node("Sub", c, x))
}

// multiples appends nodes that round the last tensor to multiples of step, which must be a power of
// two. The sum of a float32 and 1.5·2²³·step has no bits for anything smaller than step.
func (b *builder) multiples(step float64) {
	b.with("Add", 3<<22*step)
	b.with("Sub", 3<<22*step)
}

func (b *builder) done(to string) []edit.NewNode {
	b.nodes[len(b.nodes)-1].Outputs = []string{to}
	return b.nodes
}
