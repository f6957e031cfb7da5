package tensor_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Set.Only", func() {
	It("keeps the named tensors in the set's order, and finds them by name", func() {
		a, b, c := tensor.Of(1.0), tensor.Of(2.0), tensor.Of(3.0)
		set, err := tensor.NewSet(tensor.Entry{Name: "a", Tensor: a}, tensor.Entry{Name: "b", Tensor: b},
			tensor.Entry{Name: "c", Tensor: c})
		Expect(err).NotTo(HaveOccurred())
		kept := set.Only("c", "a", "missing", "c")
		Expect(kept.Names()).To(Equal([]string{"a", "c"}))
		found, ok := kept.Get("c")
		Expect(ok).To(BeTrue())
		Expect(found).To(BeIdenticalTo(c))
		_, ok = kept.Get("b")
		Expect(ok).To(BeFalse())
		Expect(set.Len()).To(Equal(3), "the set itself is as it was")
	})

	It("is empty for no names and of no set", func() {
		Expect((*tensor.Set)(nil).Only("a").Len()).To(BeZero())
	})
})
