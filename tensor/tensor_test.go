package tensor_test

import (
	"encoding/binary"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A tensor", func() {
	It("takes its element type from the Go type", func() {
		Expect(tensor.Of[float32](1).ElementType()).To(Equal(tensor.Float32))
		Expect(tensor.Of[int64](1).ElementType()).To(Equal(tensor.Int64))
		Expect(tensor.Of(true).ElementType()).To(Equal(tensor.Bool))
	})

	It("never takes a float16 for a uint16, though Go stores both alike", func() {
		half := tensor.Of(float16.Fromfloat32(1.5))
		Expect(half.ElementType()).To(Equal(tensor.Float16))
		Expect(half.Float64At(0)).To(Equal(1.5))
		Expect(tensor.Values[uint16](half)).Error().To(MatchError(
			"tensor: the elements of float16[1] are not uint16"))
	})

	It("shares memory with the values it was made of", func() {
		values := []float32{1, 2}
		t, err := tensor.New(tensor.Shape{2}, values)
		Expect(err).NotTo(HaveOccurred())
		values[1] = 5
		Expect(tensor.Values[float32](t)).To(Equal([]float32{1, 5}))
	})

	It("gives typed values of a buffer that starts at an odd address", func() {
		buffer := make([]byte, 9)
		binary.LittleEndian.PutUint64(buffer[1:], math.Float64bits(2.5))
		t, err := tensor.FromBytes(tensor.Float64, tensor.Shape{}, buffer[1:])
		Expect(err).NotTo(HaveOccurred())
		Expect(tensor.Values[float64](t)).To(Equal([]float64{2.5}))
	})

	DescribeTable("refuses what does not fit",
		func(elem tensor.ElementType, shape tensor.Shape, bytes int, message string) {
			_, err := tensor.FromBytes(elem, shape, make([]byte, bytes))
			Expect(err).To(MatchError(message))
		},
		Entry("too few bytes", tensor.Float32, tensor.Shape{2, 3}, 23,
			"tensor: float32[2,3] needs 24 bytes, got 23"),
		Entry("a negative dimension", tensor.Int8, tensor.Shape{2, -1}, 2,
			"tensor: shape [2,-1]: dimension 1 is negative"),
		Entry("more elements than fit an int", tensor.Int8, tensor.Shape{1 << 40, 1 << 40}, 0,
			"tensor: shape [1099511627776,1099511627776]: more elements than memory can address"),
		Entry("a byte count that wraps to zero", tensor.Float64, tensor.Shape{1 << 61}, 0,
			"tensor: shape [2305843009213693952]: more elements than memory can address"),
		Entry("strings, which have no buffer", tensor.String, tensor.Shape{0}, 0,
			"tensor: string elements cannot be made from bytes"),
		Entry("no type", tensor.Invalid, tensor.Shape{0}, 0,
			"tensor: invalid elements cannot be made from bytes"),
	)

	It("packs 4-bit elements low half first, and rounds the buffer up", func() {
		t, err := tensor.FromBytes(tensor.Int4, tensor.Shape{3}, []byte{0x87, 0x0f})
		Expect(err).NotTo(HaveOccurred())
		Expect(t.Float64s()).To(Equal([]float64{7, -8, -1}))
	})

	DescribeTable("packs 2-bit and 4-bit elements lowest bits first",
		func(elem tensor.ElementType, shape tensor.Shape, data []byte, values ...float64) {
			t, err := tensor.FromBytes(elem, shape, data)
			Expect(err).NotTo(HaveOccurred())
			Expect(t.Float64s()).To(Equal(values))
		},
		Entry("int2", tensor.Int2, tensor.Shape{5}, []byte{0b11_10_01_00, 0b10},
			0.0, 1.0, -2.0, -1.0, -2.0),
		Entry("uint2", tensor.Uint2, tensor.Shape{4}, []byte{0b11_10_01_00}, 0.0, 1.0, 2.0, 3.0),
		Entry("uint4", tensor.Uint4, tensor.Shape{2}, []byte{0xf1}, 1.0, 15.0),
		Entry("float4_e2m1", tensor.Float4E2M1, tensor.Shape{4}, []byte{0x71, 0xf9},
			0.5, 6.0, -0.5, -6.0),
	)

	It("reads float8_e8m0 as powers of two", func() {
		t, err := tensor.FromBytes(tensor.Float8E8M0, tensor.Shape{4}, []byte{0, 127, 254, 255})
		Expect(err).NotTo(HaveOccurred())
		Expect(t.Float64s()).To(HaveExactElements(0x1p-127, 1.0, 0x1p127, Satisfy(math.IsNaN)))
	})

	It("has one element in zero dimensions and none in an empty one", func() {
		Expect(tensor.Scalar[int32](7).Len()).To(Equal(1))
		Expect(tensor.Scalar[int32](7).Shape().String()).To(Equal("[]"))
		empty, err := tensor.New(tensor.Shape{2, 0}, []float32{})
		Expect(err).NotTo(HaveOccurred())
		Expect(empty.Len()).To(BeZero())
		Expect(tensor.Values[float32](empty)).To(BeEmpty())
	})

	It("keeps strings as they are, NUL and all", func() {
		t, err := tensor.FromStrings(tensor.Shape{2}, []string{"a\x00b", ""})
		Expect(err).NotTo(HaveOccurred())
		Expect(t.Strings()).To(Equal([]string{"a\x00b", ""}))
		Expect(t.GomegaString()).To(Equal(`string[2] ["a\x00b" ""]`))
	})

	It("reshapes without a copy, to the same number of elements only", func() {
		t := tensor.Of[int8](1, 2, 3, 4)
		square, err := t.Reshape(tensor.Shape{2, 2})
		Expect(err).NotTo(HaveOccurred())
		Expect(&square.Bytes()[0]).To(BeIdenticalTo(&t.Bytes()[0]))
		Expect(t.Reshape(tensor.Shape{3})).Error().To(MatchError(
			"tensor: int8[4] has 4 elements, shape [3] needs 3"))
	})

	It("answers for nil as for no tensor", func() {
		var none *tensor.Tensor
		Expect(none.Len()).To(BeZero())
		Expect(none.ElementType()).To(Equal(tensor.Invalid))
		Expect(none.GomegaString()).To(Equal("no tensor"))
		Expect(none.Reshape(tensor.Shape{0})).Error().To(HaveOccurred())
	})
})

var _ = Describe("A tensor's text", func() {
	DescribeTable("shows each type in the digits that read back",
		func(t *tensor.Tensor, text string) { Expect(t.GomegaString()).To(Equal(text)) },
		Entry("float32", tensor.Of[float32](0.1, float32(math.Inf(-1))), "float32[2] [0.1 -Inf]"),
		Entry("float64", tensor.Of(0.1, math.NaN()), "float64[2] [0.1 NaN]"),
		Entry("float16, not its bits", tensor.Of(float16.Fromfloat32(1.5)), "float16[1] [1.5]"),
		Entry("bfloat16", tensor.Of(tensor.BF16FromFloat32(-3)), "bfloat16[1] [-3]"),
		Entry("int64 beyond 2^53", tensor.Of[int64](1<<53+1), "int64[1] [9007199254740993]"),
		Entry("uint64", tensor.Of[uint64](math.MaxUint64), "uint64[1] [18446744073709551615]"),
		Entry("bool", tensor.Of(true, false), "bool[2] [true false]"),
	)

	It("never dumps: a million elements make one short line", func() {
		t, err := tensor.New(tensor.Shape{1000, 1000}, make([]float32, 1_000_000))
		Expect(err).NotTo(HaveOccurred())
		Expect(t.GomegaString()).To(Equal("float32[1000,1000] [0 0 0 0 0 0 0 0 … 999992 more]"))
	})
})

var _ = Describe("A shape", func() {
	It("turns a flat position into one index per dimension", func() {
		Expect(tensor.Shape{2, 3, 4}.Index(23)).To(Equal([]int{1, 2, 3}))
		Expect(tensor.Shape{}.Index(0)).To(BeEmpty())
	})

	It("tells a 0-d shape from (1)", func() {
		Expect(tensor.Shape{}.Equal(tensor.Shape{1})).To(BeFalse())
		Expect(tensor.Shape(nil).Equal(tensor.Shape{})).To(BeTrue())
	})
})

var _ = Describe("An element type", func() {
	It("reads back every name it prints", func() {
		for _, elem := range tensor.ElementTypes() {
			Expect(tensor.ParseElementType(elem.String())).To(Equal(elem))
		}
		Expect(tensor.ParseElementType("float")).Error().To(MatchError(
			`tensor: unknown element type "float"`))
	})
})
