package compare_test

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Tensors that are not in memory", func() {
	const n = 69_999 // two blocks, and beyond what is sorted in one piece

	drawn := func(elem tensor.ElementType, seed uint64) *tensor.Tensor {
		GinkgoHelper()
		r, data := rand.New(rand.NewPCG(1, 1)), make([]byte, elem.Bytes(n))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		other := rand.New(rand.NewPCG(seed, 2)) // a few bits of every hundredth byte differ
		for i := 0; i < len(data); i += 100 {
			data[i] ^= byte(other.Uint32()) & 7
		}
		if elem == tensor.Bool {
			for i := range data {
				data[i] &= 1
			}
		}
		t, err := tensor.FromBytes(elem, tensor.Shape{3, n / 3}, data)
		Expect(err).NotTo(HaveOccurred())
		return t
	}
	// stored is t elsewhere; each part is a copy, and most keeps the longest.
	stored := func(t *tensor.Tensor, most *atomic.Int64) *tensor.Tensor {
		GinkgoHelper()
		data := t.Bytes()
		read := func(from, to int) []byte {
			for {
				if was := most.Load(); int64(to-from) <= was || most.CompareAndSwap(was, int64(to-from)) {
					break
				}
			}
			return bytes.Clone(data[from:to])
		}
		s, err := spill.Tensor(t.ElementType(), t.Shape(), t.Size(), read)
		Expect(err).NotTo(HaveOccurred())
		return s
	}
	checks := []compare.Check{compare.Within(1e-3, 1e-3, compare.Elementwise),
		compare.Within(1e-3, 1e-3, compare.Max), compare.Within(1e-3, 1e-3, compare.Mean),
		compare.Within(1e-3, 1e-3, compare.Median), compare.Within(1e-3, 1e-3, compare.Quantile(0.999)),
		compare.ULP(1), compare.CosineSimilarity(0.5)}

	DescribeTable("are compared in parts, with the report of tensors in memory",
		func(elem tensor.ElementType) {
			actual, expected := drawn(elem, 1), drawn(elem, 2)
			var most atomic.Int64
			a, e := stored(actual, &most), stored(expected, &most)
			for _, check := range checks {
				o := compare.Options{Checks: []compare.Check{check}, NaNEqual: elem.IsFloat(),
					InfinitiesEqual: elem.IsFloat()}
				want, wrong := compare.Tensors(actual, expected, o)
				got, err := compare.Tensors(a, e, o)
				if wrong != nil {
					Expect(err).To(MatchError(wrong.Error()))
					continue
				}
				Expect(err).NotTo(HaveOccurred())
				Expect(got.Verdict).To(Equal(want.Verdict))
				Expect(got.Results).To(HaveLen(1))
				Expect(text(got)).To(Equal(text(want)))
			}
			Expect(most.Load()).To(BeNumerically(">", 0))
			Expect(most.Load()).To(BeNumerically("<=", 1<<16*8), "the bytes of one part")
		},
		Entry("float32", tensor.Float32), Entry("float64", tensor.Float64),
		Entry("float16", tensor.Float16), Entry("bfloat16", tensor.BFloat16),
		Entry("int8", tensor.Int8), Entry("uint8", tensor.Uint8), Entry("int32", tensor.Int32),
		Entry("int64", tensor.Int64), Entry("uint64", tensor.Uint64), Entry("bool", tensor.Bool),
		Entry("int4", tensor.Int4), Entry("float8", tensor.Float8E4M3FN),
	)

	It("take no memory of their size", func() {
		zeros := make([]byte, 1<<20)
		t, err := spill.Tensor(tensor.Float32, tensor.Shape{1 << 23}, 1<<25,
			func(from, to int) []byte { return zeros[:to-from] })
		Expect(err).NotTo(HaveOccurred())
		for _, stat := range []compare.Stat{compare.Elementwise, compare.Mean, compare.Median} {
			o := compare.Options{Checks: []compare.Check{compare.Within(0, 0, stat)}}
			Expect(peak.Of(func() {
				out, err := compare.Tensors(t, t, o)
				Expect(err).NotTo(HaveOccurred())
				Expect(out.Verdict).To(Equal(compare.Pass))
			})).To(BeNumerically("<", 24<<20), "of two tensors of 32 MiB: %v", stat)
		}
	})
})

// text is all that is printed of an output.
func text(out compare.Output) string {
	return compare.Report{Verdict: out.Verdict, Outputs: []compare.Output{out}}.Text()
}
