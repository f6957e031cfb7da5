package openvino_test

import (
	"bytes"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

// bits is a tensor of seeded bytes. Bool keeps to 0 and 1, the only patterns that it has, and the
// integers of 64 bits to 32, see below.
func bits(elem tensor.ElementType, shape tensor.Shape) *tensor.Tensor {
	GinkgoHelper()
	n, err := shape.Elements()
	Expect(err).NotTo(HaveOccurred())
	random := rand.New(rand.NewPCG(7, uint64(n)))
	data := make([]byte, elem.Bytes(n))
	for i := range data {
		switch data[i] = byte(random.Uint32()); {
		case elem == tensor.Bool:
			data[i] &= 1
		case elem.Bits() == 64 && elem.IsInteger() && i%8 > 2:
			data[i] = 0
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
	needed()

	DescribeTable("pass through in every shape, bit for bit",
		func(ctx SpecContext, number int, elem tensor.ElementType) {
			for _, shape := range []tensor.Shape{{}, {3}, {2, 0, 3}, {1, 1, 5}} {
				var dynamic, fixed []any
				for _, d := range shape {
					dynamic, fixed = append(dynamic, "n"), append(fixed, d)
				}
				if len(shape) > 1 {
					dynamic = []any{nil, nil, nil}[:len(shape)]
				}
				sent := bits(elem, shape)
				for _, dims := range [][]any{dynamic, fixed} {
					got, ok := run(ctx, unary("Identity", int32(number), dims...), x(sent)).Get("y")
					Expect(ok).To(BeTrue())
					Expect(got.ElementType()).To(Equal(elem))
					Expect(got.Shape()).To(Equal(shape))
					Expect(bytes.Equal(got.Bytes(), sent.Bytes())).To(BeTrue(), "%v of %v", got, sent)
				}
			}
		},
		Entry("float32", 1, tensor.Float32),
		Entry("uint8", 2, tensor.Uint8),
		Entry("int8", 3, tensor.Int8),
		Entry("uint16", 4, tensor.Uint16),
		Entry("int16", 5, tensor.Int16),
		Entry("int32", 6, tensor.Int32),
		Entry("int64", 7, tensor.Int64),
		Entry("bool", 9, tensor.Bool),
		Entry("float16", 10, tensor.Float16),
		Entry("float64", 11, tensor.Float64),
		Entry("uint32", 12, tensor.Uint32),
		Entry("uint64", 13, tensor.Uint64),
		Entry("bfloat16", 16, tensor.BFloat16),
		Entry("float8_e4m3fn", 17, tensor.Float8E4M3FN),
		Entry("float8_e5m2", 19, tensor.Float8E5M2),
		Entry("uint4, packed", 21, tensor.Uint4),
		Entry("int4, packed", 22, tensor.Int4),
	)

	DescribeTable("that OpenVINO does not run are refused in words",
		func(ctx SpecContext, number int, sent *tensor.Tensor, expected string) {
			_, err := openvino.Run(ctx, unary("Identity", int32(number), 1), x(sent))
			Expect(err).To(MatchError(ContainSubstring(expected)))
		},
		Entry("strings", 8, must(tensor.FromStrings(tensor.Shape{1}, []string{"a"})),
			"input x tensor(string)[1]: string tensors are not supported, because OpenVINO's CPU "+
				"plugin aborts the process when it frees one"),
		Entry("float8 without negative zero", 18, tensorOf(tensor.Float8E4M3FNUZ),
			"OpenVINO has no element type FLOAT8E4M3FNUZ"),
		Entry("complex numbers", 14, tensorOf(tensor.Float32), "OpenVINO has no element type COMPLEX64"),
		Entry("int2", 26, tensorOf(tensor.Int2), "OpenVINO has no "),
	)

	It("a sequence is refused in words", func(ctx SpecContext) {
		sequence := onnxtest.Value{Name: "x", Proto: onnxtest.Message(nil, 4,
			onnxtest.Message(nil, 1, onnxtest.TensorType(f32, nil)))}
		_, err := openvino.Run(ctx, model([]onnxtest.Value{sequence},
			[]onnxtest.Value{io("y", i64)}, nil, node("SequenceLength", names("x"), names("y"))),
			feed(in("x[0]", tensor.Of[float32](1))))
		Expect(err).To(MatchError(ContainSubstring("model.onnx: OpenVINO has no operator ")))
	})
})

func must(t *tensor.Tensor, err error) *tensor.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// tensorOf is one element.
func tensorOf(elem tensor.ElementType) *tensor.Tensor {
	return must(tensor.FromBytes(elem, tensor.Shape{1}, make([]byte, elem.Bytes(1))))
}
