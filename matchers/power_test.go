package matchers_test

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/compare/decisions"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the matchers of accuracy", func() {
	layout := decisions.Layout{Packed: "boxes", Columns: "x0 y0 x1 y1 score class"}
	scores := func(r *rand.Rand, rows, classes int) ([]float32, []int) {
		values, labels := make([]float32, rows*classes), make([]int, rows)
		for i := range labels {
			labels[i] = r.IntN(classes)
			for k := range classes {
				values[i*classes+k] = float32(r.IntN(3))
			}
			values[i*classes+labels[i]] = 3
		}
		return values, labels
	}
	boxes := func(r *rand.Rand, images, n int) ([]float32, [][]decisions.Truth) {
		values, truth := make([]float32, 0, images*n*6), make([][]decisions.Truth, images)
		for i := range truth {
			for k := range n {
				x, class := float64(20*k), r.IntN(2)
				values = append(values, float32(x), 0, float32(x)+10, 9, 0.5, float32(class))
				truth[i] = append(truth[i], decisions.Truth{Box: decisions.Box{x, 0, x + 10, 9}, Class: class})
			}
		}
		return values, truth
	}
	constant := func(n int, v float32) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = v
		}
		return all
	}
	// permuted moves parts of the given size within groups of n parts.
	permuted := func(r *rand.Rand, values []float32, n, size int) (moved []float32, order []int) {
		order = r.Perm(n)
		for group := 0; group < len(values); group += n * size {
			for _, from := range order {
				moved = append(moved, values[group+from*size:group+(from+1)*size]...)
			}
		}
		return moved, order
	}

	It("never pass a run that decides nothing, and do not mind the order of rows", func() {
		r := rand.New(rand.NewPCG(3, 4))
		for range 100 {
			rows, classes := 1+r.IntN(5), 2+r.IntN(3)
			values, labels := scores(r, rows, classes)
			of := func(values []float32) *tensor.Tensor { return shaped(f32(values...), rows, classes) }
			m := HaveTop1Accuracy(labels, 0.01)
			Expect(of(values)).To(HaveTopKAccuracy(1+r.IntN(classes-1), labels, 1))
			moved, order := permuted(r, values, rows, classes)
			var others []int
			for _, from := range order {
				others = append(others, labels[from])
			}
			Expect(of(moved)).To(HaveTop1Accuracy(others, 1))
			for _, v := range []float32{0, 1, -1, float32(math.NaN()), float32(math.Inf(1))} {
				Expect(of(constant(len(values), v))).NotTo(m)
			}
		}
		for range 10 {
			images, n := 2+r.IntN(2), 1+r.IntN(4)
			values, truth := boxes(r, images, n)
			of := func(values []float32) *tensor.Set {
				return set("boxes", shaped(f32(values...), images, n, 6))
			}
			Expect(of(values)).To(HaveAveragePrecision(truth, layout, 1))
			moved, _ := permuted(r, values, n, 6) // tied scores
			Expect(of(moved)).To(HaveAveragePrecision(truth, layout, 1))
			for _, v := range []float32{0, 1, -1, float32(math.NaN())} {
				Expect(of(constant(len(values), v))).NotTo(HaveAveragePrecision(truth, layout, 0.01))
			}
		}
	})

	DescribeTable("refuse what they cannot tell apart", func(m types.GomegaMatcher, actual any,
		says string) {
		_, err := m.Match(actual)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("integers that float64 rounds", HaveTop1Accuracy([]int{1}, 1),
			shaped(tensor.Of[uint64](1<<53, 1<<53+1), 1, 2),
			"element 1 is 9007199254740993, which float64 would round"),
	)
})
