package ort_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// shapes are what an input whose shape is not declared may have.
var shapes = []tensor.Shape{{}, {1}, {3}, {2, 3}, {0}, {2, 0, 3}, {1, 1, 5}}

// bits is a tensor of seeded bytes. Bool keeps to 0 and 1, the only patterns that it has.
func bits(elem tensor.ElementType, shape tensor.Shape) *tensor.Tensor {
	GinkgoHelper()
	n, err := shape.Elements()
	Expect(err).NotTo(HaveOccurred())
	random := rand.New(rand.NewPCG(7, uint64(n)))
	data := make([]byte, elem.Bytes(n))
	for i := range data {
		if data[i] = byte(random.Uint32()); elem == tensor.Bool {
			data[i] &= 1
		}
	}
	if elem.Bits() == 4 && n%2 == 1 {
		data[len(data)-1] &= 0x0f // the unused half of the last byte
	}
	t, err := tensor.FromBytes(elem, shape, data)
	Expect(err).NotTo(HaveOccurred())
	return t
}

var _ = Describe("Element types", func() {
	DescribeTable("pass through in every shape, bit for bit",
		func(ctx SpecContext, name string, elem tensor.ElementType) {
			for _, shape := range shapes {
				sent := bits(elem, shape)
				got, ok := run(ctx, "identity_"+name, x(sent)).Get("y")
				Expect(ok).To(BeTrue())
				Expect(got.ElementType()).To(Equal(elem))
				Expect(got.Shape()).To(Equal(shape))
				Expect(bytes.Equal(got.Bytes(), sent.Bytes())).To(BeTrue(), "%v of %v", got, sent)
			}
		},
		Entry("float32", "float", tensor.Float32),
		Entry("float64", "double", tensor.Float64),
		Entry("float16", "float16", tensor.Float16),
		Entry("bfloat16", "bfloat16", tensor.BFloat16),
		Entry("float8_e4m3fn", "float8e4m3fn", tensor.Float8E4M3FN),
		Entry("float8_e4m3fnuz", "float8e4m3fnuz", tensor.Float8E4M3FNUZ),
		Entry("float8_e5m2", "float8e5m2", tensor.Float8E5M2),
		Entry("float8_e5m2fnuz", "float8e5m2fnuz", tensor.Float8E5M2FNUZ),
		Entry("int4, packed", "int4", tensor.Int4),
		Entry("uint4, packed", "uint4", tensor.Uint4),
		Entry("int8", "int8", tensor.Int8),
		Entry("int16", "int16", tensor.Int16),
		Entry("int32", "int32", tensor.Int32),
		Entry("int64", "int64", tensor.Int64),
		Entry("uint8", "uint8", tensor.Uint8),
		Entry("uint16", "uint16", tensor.Uint16),
		Entry("uint32", "uint32", tensor.Uint32),
		Entry("uint64", "uint64", tensor.Uint64),
		Entry("bool", "bool", tensor.Bool),
	)

	DescribeTable("strings pass through with every byte", func(ctx SpecContext,
		shape tensor.Shape, sent ...string) {
		t, err := tensor.FromStrings(shape, sent)
		Expect(err).NotTo(HaveOccurred())
		got, _ := run(ctx, "identity_string", x(t)).Get("y")
		Expect(got.Shape()).To(Equal(shape))
		Expect(slices.Equal(got.Strings(), sent)).To(BeTrue(), "%q", got.Strings())
	},
		Entry("0-d", tensor.Shape{}, "one"),
		Entry("several, empty ones among them", tensor.Shape{2, 2},
			"", "é", strings.Repeat("z", 5000), ""),
		Entry("only empty ones", tensor.Shape{2}, "", ""),
		Entry("NUL bytes and no UTF-8", tensor.Shape{3}, "a\x00b", "\x00", "\xff"),
		Entry("none", tensor.Shape{0}),
	)

	half := func(values ...float32) *tensor.Tensor {
		halves := make([]float16.Float16, len(values))
		for i, v := range values {
			halves[i] = float16.Fromfloat32(v)
		}
		return tensor.Of(halves...)
	}
	brain := func(values ...float32) *tensor.Tensor {
		brains := make([]tensor.BF16, len(values))
		for i, v := range values {
			brains[i] = tensor.BF16FromFloat32(v)
		}
		return tensor.Of(brains...)
	}

	DescribeTable("16-bit floats of a shape that only the run knows, and 0-d",
		func(ctx SpecContext, name string, sent *tensor.Tensor, expected ...string) {
			Expect(values(run(ctx, "dynamic_"+name, x(sent)))).To(Equal(expected))
		},
		Entry("float16", "float16", half(0, 1.5, 0, 2),
			"nonzero: float16[1,2] [1 3]", "sum: float16[] [3.5]"),
		Entry("bfloat16", "bfloat16", brain(4, 0, -1),
			"nonzero: bfloat16[1,2] [0 2]", "sum: bfloat16[] [3]"),
		Entry("float16, nothing found", "float16", half(0),
			"nonzero: float16[1,0] []", "sum: float16[] [0]"),
		Entry("float16, empty", "float16", half(),
			"nonzero: float16[1,0] []", "sum: float16[] [0]"),
	)
})

var _ = Describe("Values that are not tensors", func() {
	labels, _ := tensor.FromStrings(tensor.Shape{2}, []string{"dog", "cat"})
	row, _ := tensor.New(tensor.Shape{1, 2}, []float32{0.25, 0.75})

	DescribeTable("are sets of named tensors", func(ctx SpecContext, name string,
		inputs []tensor.Entry, expected ...string) {
		Expect(values(run(ctx, name, feed(inputs...)))).To(HaveExactElements(expected))
	},
		Entry("no inputs at all", "no_inputs", nil, "y: float32[2] [1 2]"),
		Entry("a sequence out, of 0-d float16", "sequence_out",
			[]tensor.Entry{in("x", tensor.Of(float16.Fromfloat32(5), float16.Fromfloat32(6)))},
			"y.length: int64[] [2]", "y[0]: float16[] [5]", "y[1]: float16[] [6]"),
		Entry("an empty sequence out", "sequence_empty", nil, "y.length: int64[] [0]"),
		Entry("a sequence in", "sequence_in",
			[]tensor.Entry{in("x[0]", tensor.Of[float32](1)), in("x[1]", tensor.Of[float32](2, 3))},
			"y: float32[3] [1 2 3]"),
		Entry("a sequence in, with its length", "sequence_in",
			[]tensor.Entry{in("x.length", tensor.Scalar[int64](1)), in("x[0]", tensor.Of[float32](1))},
			"y: float32[1] [1]"),
		Entry("an empty sequence in", "sequence_length",
			[]tensor.Entry{in("x.length", tensor.Scalar[int64](0))}, "y: int64[] [0]"),
		Entry("a sequence of maps out", "zipmap", []tensor.Entry{in("x", row)},
			"y.length: int64[] [1]", `y[0].key: string[2] ["cat" "dog"]`,
			"y[0].value: float32[2] [0.25 0.75]"),
		Entry("a map in", "map_in",
			[]tensor.Entry{in("x.key", labels), in("x.value", tensor.Of[float32](7, 8))},
			"y: float32[1,3] [8 7 0]"),
		Entry("an optional without a value out", "optional_none", nil),
		Entry("an optional with a value out", "optional_some",
			[]tensor.Entry{in("x", tensor.Of[float32](9))}, "y: float32[1] [9]"),
		Entry("an optional without a value in", "optional_in", nil, "y: bool[] [false]"),
		Entry("an optional with a value in", "optional_in",
			[]tensor.Entry{in("x", tensor.Of[float32](9))}, "y: bool[] [true]"),
	)
})
