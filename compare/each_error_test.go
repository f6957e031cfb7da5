package compare_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the error of each element", func() {
	errorsOf := func(o compare.Output) (abs, rel []float64) {
		for a, r := range o.EachError() {
			abs, rel = append(abs, a...), append(rel, r...)
		}
		return abs, rel
	}
	compared := func(a, e *tensor.Tensor) compare.Output {
		o, err := compare.Tensors(a, e, compare.Options{AllowEmpty: true,
			Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		return o
	}

	It("is the rule's error, over all chunks", func() {
		a, e := make([]int64, 5000), make([]int64, 5000)
		for i := range a {
			a[i], e[i] = 1<<60+int64(i), 1<<60
		}
		abs, rel := errorsOf(compared(tensor.Of(a...), tensor.Of(e...)))
		Expect(abs).To(HaveLen(5000))
		Expect(abs[4999]).To(Equal(4999.0))
		Expect(rel[4999]).To(Equal(4999 / float64(1<<60)))
		for range compared(tensor.Of(a...), tensor.Of(e...)).EachError() {
			break // a reader may stop
		}
	})

	It("is nothing where the values were not compared", func() {
		abs, _ := errorsOf(compared(tensor.Of(1.0, 2), tensor.Of(1.0)))
		Expect(abs).To(BeEmpty())
		abs, _ = errorsOf(compare.Output{Name: "lost"})
		Expect(abs).To(BeEmpty())
		abs, _ = errorsOf(compared(tensor.Of[float32](), tensor.Of[float32]()))
		Expect(abs).To(BeEmpty())
	})
})
