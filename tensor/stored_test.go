package tensor_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A tensor whose bytes are stored", func() {
	stored := func(t *tensor.Tensor) *tensor.Tensor {
		GinkgoHelper()
		data := t.Bytes()
		s, err := spill.Tensor(t.ElementType(), t.Shape(), t.Size(),
			func(from, to int) []byte { return data[from:to] })
		Expect(err).NotTo(HaveOccurred())
		return s
	}

	DescribeTable("gives what it gave in memory", func(elem tensor.ElementType) {
		data := make([]byte, elem.Bytes(6))
		for i := range data {
			if data[i] = byte(1 + 37*i); elem == tensor.Bool {
				data[i] &= 1
			}
		}
		t, err := tensor.FromBytes(elem, tensor.Shape{2, 3}, data)
		Expect(err).NotTo(HaveOccurred())
		s := stored(t)
		Expect(spill.InMemory(s)).To(BeFalse())
		Expect(s.ElementType()).To(Equal(elem))
		Expect(s.Shape()).To(Equal(t.Shape()))
		Expect(s.Len()).To(Equal(6))
		Expect(s.Size()).To(Equal(len(data)))
		Expect(s.Bytes()).To(Equal(data))
		Expect(s.GomegaString()).To(Equal(t.GomegaString()))
		for i := range 6 {
			Expect(s.Text(i)).To(Equal(t.Text(i)))
		}
		flat, err := s.Reshape(tensor.Shape{6})
		Expect(err).NotTo(HaveOccurred())
		Expect(spill.InMemory(flat)).To(BeFalse())
		Expect(flat.Text(5)).To(Equal(t.Text(5)))
	},
		Entry(nil, tensor.Float32), Entry(nil, tensor.Float64), Entry(nil, tensor.Float16),
		Entry(nil, tensor.BFloat16), Entry(nil, tensor.Bool), Entry(nil, tensor.Int8),
		Entry(nil, tensor.Int16), Entry(nil, tensor.Int32), Entry(nil, tensor.Int64),
		Entry(nil, tensor.Uint8), Entry(nil, tensor.Uint16), Entry(nil, tensor.Uint32),
		Entry(nil, tensor.Uint64), Entry(nil, tensor.Int4), Entry(nil, tensor.Uint4),
		Entry(nil, tensor.Int2), Entry(nil, tensor.Uint2), Entry(nil, tensor.Float8E4M3FN),
		Entry(nil, tensor.Float8E8M0), Entry(nil, tensor.Float4E2M1))

	It("gives its values", func() {
		Expect(tensor.Values[int64](stored(tensor.Of[int64](1, 2, 3)))).To(Equal([]int64{1, 2, 3}))
		Expect(stored(tensor.Of[float32](1, 2)).Float64s()).To(Equal([]float64{1, 2}))
	})

	It("is read when it is asked for, and no more than that", func() {
		var reads [][2]int
		read := func(from, to int) []byte {
			reads = append(reads, [2]int{from, to})
			return tensor.Of[float32](3, 4).Bytes()[from:to]
		}
		t, err := spill.Tensor(tensor.Float32, tensor.Shape{2}, 8, read)
		Expect(err).NotTo(HaveOccurred())
		_, _, _ = t.Shape(), t.Size(), t.Len()
		Expect(reads).To(BeEmpty())
		Expect(t.Float64At(1)).To(Equal(4.0))
		Expect(spill.Part(t, 0, 4)).To(Equal(tensor.Of[float32](3).Bytes()))
		Expect(reads).To(Equal([][2]int{{4, 8}, {0, 4}}))
		Expect(t.Float64s()).To(Equal([]float64{3, 4}))
	})

	It("is not one of strings, and has the size of its type and shape", func() {
		_, err := spill.Tensor(tensor.String, tensor.Shape{1}, 0, nil)
		Expect(err).To(MatchError(ContainSubstring("elements cannot be made from bytes")))
		_, err = spill.Tensor(tensor.Float32, tensor.Shape{2}, 7, nil)
		Expect(err).To(MatchError(ContainSubstring("needs 8 bytes, got 7")))
	})
})
