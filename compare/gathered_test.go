package compare_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/tensor"
)

// differing is two tensors of a shape that differ where off says so.
func differing(shape tensor.Shape, off func(index []int) bool) (actual, expected *tensor.Tensor) {
	n, err := shape.Elements()
	must(err)
	a, e := make([]float32, n), make([]float32, n)
	for i := range a {
		if e[i] = float32(i % 97); off(shape.Index(i)) {
			a[i] = 1
		}
		a[i] += e[i]
	}
	actual, err = tensor.New(shape, a)
	must(err)
	expected, err = tensor.New(shape, e)
	must(err)
	return actual, expected
}

var _ = Describe("where mismatches lie", func() {
	where := func(shape tensor.Shape, off func(i []int) bool) string {
		GinkgoHelper()
		a, e := differing(shape, off)
		out, err := compare.Tensors(a, e, compare.Options{Checks: checks(exact)})
		Expect(err).NotTo(HaveOccurred())
		return out.Statistics().Where
	}

	DescribeTable("is said where they gather", func(shape tensor.Shape, off func(i []int) bool,
		text string) {
		Expect(where(shape, off)).To(Equal(text))
	},
		Entry("a column", tensor.Shape{41, 2000}, func(i []int) bool { return i[1] == 1234 },
			"all 41 mismatches lie in [*,1234]"),
		Entry("the beginning of a long axis", tensor.Shape{3, 70000},
			func(i []int) bool { return i[1] < 20000 },
			"all 60000 mismatches lie in [*,0:20000]"),
		Entry("a row", tensor.Shape{30, 50}, func(i []int) bool { return i[0] == 7 },
			"all 50 mismatches lie in [7,*]"),
		Entry("a channel of one item", tensor.Shape{4, 16, 7, 7},
			func(i []int) bool { return i[0] == 2 && i[1] == 5 },
			"all 49 mismatches lie in [2,5,*,*]"),
		Entry("a half", tensor.Shape{8, 64}, func(i []int) bool { return i[1] >= 32 },
			"all 256 mismatches lie in [*,32:64]"),
		Entry("a stride", tensor.Shape{64, 64}, func(i []int) bool { return i[1]%4 == 2 },
			"all 1024 mismatches lie in [*,2::4]"),
		Entry("a stride of a long output", tensor.Shape{100000},
			func(i []int) bool { return i[0]%7 == 3 },
			"all 14286 mismatches lie in [3::7]"),
		Entry("a column and some elements before it", tensor.Shape{100, 100},
			func(i []int) bool { return i[1] == 9 || i[0] == 50 && i[1] < 3 },
			"all 103 mismatches lie in [*,0:10]"),
		Entry("two columns", tensor.Shape{64, 60},
			func(i []int) bool { return i[1] == 3 || i[1] == 40 },
			"all 128 mismatches lie in [*,3::37]"),
		Entry("every second column of a part", tensor.Shape{64, 60},
			func(i []int) bool { return i[1] >= 10 && i[1] < 20 && i[1]%2 == 0 },
			"all 320 mismatches lie in [*,10:19:2]"),
	)

	random := rand.New(rand.NewPCG(1, 2))
	DescribeTable("is not said where they do not", func(shape tensor.Shape, off func(i []int) bool) {
		Expect(where(shape, off)).To(BeEmpty())
	},
		Entry("one mismatch, which always lies in a row", tensor.Shape{30, 50},
			func(i []int) bool { return i[0] == 7 && i[1] == 3 }),
		Entry("two in one row", tensor.Shape{30, 50},
			func(i []int) bool { return i[0] == 7 && i[1] < 2 }),
		Entry("strewn over all", tensor.Shape{64, 64}, func([]int) bool { return random.IntN(10) == 0 }),
		Entry("few, strewn", tensor.Shape{64, 64}, func([]int) bool { return random.IntN(400) == 0 }),
		Entry("everything", tensor.Shape{64, 64}, func([]int) bool { return true }),
		Entry("half of them, strewn", tensor.Shape{64, 64},
			func([]int) bool { return random.IntN(2) == 0 }),
		Entry("0-d", tensor.Shape{}, func([]int) bool { return true }),
	)

	It("is never said of a thousand random tensors", func() {
		for range 1000 {
			shape := tensor.Shape{1 + random.IntN(12), 1 + random.IntN(12), 1 + random.IntN(40)}
			share := random.Float64()
			Expect(where(shape, func([]int) bool { return random.Float64() < share })).To(BeEmpty())
		}
	})

	It("stands in the text and in JSON, with means, deviations and ULP", func() {
		a, e := differing(tensor.Shape{41, 20}, func(i []int) bool { return i[1] == 12 })
		report, err := compare.Sets(sets("y", a), sets("y", e),
			compare.Options{Checks: checks(compare.ULP(1))})
		Expect(err).NotTo(HaveOccurred())
		holdText("gathered", report.Text())
		text, err := json.Marshal(compare.Document{Pairs: []compare.Pair{{Actual: "a", Expected: "e",
			Report: report}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed())
		var d compare.Document
		Expect(json.Unmarshal(text, &d)).To(Succeed())
		Expect(d.Pairs[0].Report.Text()).To(Equal(report.Text()))
	})

	It("comes with the mean and deviation of what is finite", func() {
		a := tensor.Of(1e8+1, 1e8+3, math.NaN(), math.Inf(1))
		out, err := compare.Tensors(a, tensor.Of(1e8+1, 1e8+1, 1e8+1, 1e8+1),
			compare.Options{Checks: checks(exact)})
		Expect(err).NotTo(HaveOccurred())
		s := out.Statistics()
		Expect(s.Values.Actual).To(Equal(compare.SideValues{Mean: 1e8 + 2, StdDev: 1}))
		Expect(s.Values.Expected).To(Equal(compare.SideValues{Mean: 1e8 + 1, StdDev: 0}))
		big, err := tensor.New(tensor.Shape{100001}, ramp(100001))
		Expect(err).NotTo(HaveOccurred())
		out, err = compare.Tensors(big, big, compare.Options{Checks: checks(exact)})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Statistics().Values.Actual.Mean).To(BeNumerically("~", 50000, 1e-9))
		Expect(out.Statistics().Values.Actual.StdDev).To(
			BeNumerically("~", math.Sqrt((100001.0*100001-1)/12), 1e-6))
	})
})

// ramp is 0, 1, 2 …
func ramp(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}
