package compare_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// topKDifferences are recorded top-k results that ours differ from on purpose.
var topKDifferences = map[string]string{
	"topk/i8_min_wraps":  "integers never wrap: -128 is the least int8, not the greatest",
	"topk/u8_zero_wraps": "integers never wrap: 0 is the least uint8, not the greatest",
	"topk/f32_k0_axis0":  "K = 0 leaves the output as it is, so that nothing passes vacuously",
}

// topKOf is the top-k option that a recorded case asks for.
func topKOf(k any) map[string]compare.TopK {
	switch k := k.(type) {
	case float64:
		return map[string]compare.TopK{"": {K: int(k), Axis: -1}}
	case []any:
		return map[string]compare.TopK{"": {K: int(k[0].(float64)), Axis: int(k[1].(float64))}}
	case map[string]any:
		if v, ok := k[""]; ok {
			return topKOf(v)
		}
	}
	return nil
}

var _ = Describe("top-k", func() {
	It("gives the recorded indices", func() {
		for _, c := range readVectors("topk") {
			input := npy(c.Input)
			options := compare.Options{TopK: topKOf(c.K), AnyElementType: true, AllowEmpty: true,
				Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}}
			out, err := compare.Tensors(input, input, options)
			if c.Expected.Status == "exception" {
				if c.ID == "topk/bool" {
					Expect(err).NotTo(HaveOccurred(), "bools have an order")
				} else {
					Expect(err).To(MatchError(ContainSubstring("no such axis")), c.ID)
				}
				continue
			}
			Expect(err).NotTo(HaveOccurred(), c.ID)
			want := npy(c.Expected.Npy)
			same := out.Actual.Shape().Equal(want.Shape()) &&
				string(out.Actual.Bytes()) == string(want.Bytes())
			if out.Actual == input {
				same = want.Shape().Equal(input.Shape()) // K = 0: untouched
			}
			_, differs := topKDifferences[c.ID]
			Expect(same).To(Equal(!differs), "%s: %v, recorded %v", c.ID, out.Actual, want)
		}
	})

	It("orders wrapped integers truly", func() {
		bytes, err := tensor.New(tensor.Shape{4}, []int8{-128, 5, 127, -1})
		Expect(err).NotTo(HaveOccurred())
		out, err := compare.Tensors(bytes, bytes, compare.Options{
			TopK:   map[string]compare.TopK{"": {K: 4, Axis: -1}},
			Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		Expect(tensor.Values[int64](out.Actual)).To(Equal([]int64{2, 1, 3, 0}))
	})
})
