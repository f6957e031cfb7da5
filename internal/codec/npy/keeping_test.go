package npy_test

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("An array larger than memory may be", func() {
	// full has no room in memory left for an array.
	full := func() *spill.Keeper {
		k := new(spill.Keeper)
		k.Hold(spill.Large)
		return k
	}
	file := func(t *tensor.Tensor) []byte {
		GinkgoHelper()
		var b bytes.Buffer
		Expect(npy.Write(&b, t)).To(Succeed())
		return b.Bytes()
	}
	keep := func(data []byte) (npy.Array, error) {
		return npy.ReadKeeping(bytes.NewReader(data), int64(len(data)), full())
	}

	DescribeTable("is read as one in memory is", func(t *tensor.Tensor) {
		array, err := keep(file(t))
		Expect(err).NotTo(HaveOccurred())
		Expect(array.Shape()).To(Equal(t.Shape()))
		got, err := array.As(t.ElementType())
		Expect(err).NotTo(HaveOccurred())
		Expect(spill.InMemory(got)).To(BeFalse())
		Expect(got.Bytes()).To(Equal(t.Bytes()))
	},
		Entry("float32", tensor.Of(make([]float32, 3000)...)),
		Entry("int64", tensor.Of[int64](1, -2, 3)),
		Entry("bool", tensor.Of(true, false, true)),
		Entry("bfloat16, which NumPy lacks", tensor.Of[tensor.BF16](1, 2, 3)))

	DescribeTable("is refused as one in memory is", func(change func(data []byte) []byte) {
		data := change(file(tensor.Of(true, false, true, true)))
		_, wrong := npy.Read(bytes.NewReader(data), 1<<20)
		Expect(wrong).To(HaveOccurred())
		_, err := npy.ReadKeeping(bytes.NewReader(data), 1<<20, full())
		Expect(err).To(MatchError(wrong.Error()))
	},
		Entry("cut short", func(data []byte) []byte { return data[:len(data)-1] }),
		Entry("without data", func(data []byte) []byte { return data[:len(data)-4] }),
		Entry("with a bool that is neither", func(data []byte) []byte {
			data[len(data)-2] = 2
			return data
		}))

	DescribeTable("stays in memory in another order, or as text", func(descr, order string) {
		data := file(tensor.Of[int32](1, 2, 3, 4))
		data = bytes.Replace(data, []byte("'<i4'"), []byte(descr), 1)
		data = bytes.Replace(data, []byte("False"), []byte(order), 1)
		data = bytes.Replace(data, []byte("(4,), }  "), []byte("(2, 2), }"), 1)
		array, err := keep(data)
		Expect(err).NotTo(HaveOccurred())
		want, err := npy.Read(bytes.NewReader(data), int64(len(data)))
		Expect(err).NotTo(HaveOccurred())
		got, wanted := must(array.Tensor()), must(want.Tensor())
		Expect(spill.InMemory(got)).To(BeTrue())
		Expect(got.GomegaString()).To(Equal(wanted.GomegaString()))
	},
		Entry("big-endian", "'>i4'", "False"), Entry("column-major", "'<i4'", "True "),
		Entry("text", "'|S4'", "False"))
})

func must(t *tensor.Tensor, err error) *tensor.Tensor {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return t
}
