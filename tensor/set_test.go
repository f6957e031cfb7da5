package tensor_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A set", func() {
	x, y := tensor.Of[float32](1), tensor.Of[int64](2, 3)

	It("keeps the order it was given, and finds by exact name", func() {
		set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: y}, tensor.Entry{Name: "x", Tensor: x})
		Expect(err).NotTo(HaveOccurred())
		Expect(set.Names()).To(Equal([]string{"y", "x"}))
		found, ok := set.Get("x")
		Expect(ok).To(BeTrue())
		Expect(found).To(BeIdenticalTo(x))
		_, ok = set.Get("X")
		Expect(ok).To(BeFalse())
		Expect(set.String()).To(Equal("{y: int64[2], x: float32[1]}"))
		Expect(set.GomegaString()).To(Equal("y: int64[2] [2 3]\nx: float32[1] [1]"))
	})

	It("refuses one name twice, one without a tensor and one that is not UTF-8", func() {
		_, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x}, tensor.Entry{Name: "x", Tensor: y})
		Expect(err).To(MatchError(`tensor: "x" is named twice in one set`))
		_, err = tensor.NewSet(tensor.Entry{Name: "x"})
		Expect(err).To(MatchError(`tensor: the tensor named "x" is nil`))
		_, err = tensor.NewSet(tensor.Entry{Name: "\xff", Tensor: x})
		Expect(err).To(MatchError(
			`tensor: the name "\xff" is not valid UTF-8, which every format requires`))
	})

	It("is empty when nil", func() {
		var none *tensor.Set
		Expect(none.Len()).To(BeZero())
		Expect(none.Names()).To(BeEmpty())
		Expect(none.GomegaString()).To(Equal("no tensors"))
	})
})
