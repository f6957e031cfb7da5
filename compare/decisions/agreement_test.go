package decisions_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = It("COCO agrees with pycocotools in AP, AP50 and AP75", func() {
	for i, c := range recorded[struct {
		Images       int
		Truth, Found [][]float64
		Stats        []float64
	}]("coco.json", 100) {
		images := make([]decisions.Labelled, c.Images)
		corners := func(v []float64) decisions.Box {
			return decisions.Box{v[1], v[2], v[1] + v[3], v[2] + v[4]}
		}
		for _, v := range c.Truth {
			image := &images[int(v[0])]
			image.Truth = append(image.Truth, decisions.Truth{Box: corners(v), Class: int(v[5]),
				Crowd: v[6] == 1})
		}
		for _, v := range c.Found {
			image := &images[int(v[0])]
			image.Found = append(image.Found, decisions.Detection{Box: corners(v), Class: int(v[5]),
				Score: v[6]})
		}
		p := decisions.COCO(images)
		for k, got := range []float64{p.AP, p.AP50, p.AP75} {
			Expect(got).To(BeNumerically("~", c.Stats[k], 1e-12), "case %d, number %d", i, k)
		}
	}
})

var _ = It("Kendall's tau and NDCG agree with SciPy and scikit-learn", func() {
	for i, c := range recorded[struct {
		X, Y []float64
		K    int
		Tau  *float64
		NDCG float64
	}]("rankings.json", 500) {
		if tau := decisions.KendallTau(c.X, c.Y); c.Tau == nil {
			Expect(math.IsNaN(tau)).To(BeTrue(), "case %d", i)
		} else {
			Expect(tau).To(BeNumerically("~", *c.Tau, 1e-12), "case %d", i)
		}
		ndcg, err := decisions.NDCG(c.X, c.Y, c.K)
		Expect(err).NotTo(HaveOccurred())
		Expect(ndcg).To(BeNumerically("~", c.NDCG, 1e-12), "case %d", i)
	}
})

var _ = It("accuracies, intervals and confusion agree with scikit-learn and SciPy", func() {
	for i, c := range recorded[struct {
		Scores      [][]float64
		Labels      []int
		K, Right    int
		Least, Most float64
		Confusion   [][]int
	}]("accuracies.json", 100) {
		a, err := decisions.Classify([]*tensor.Tensor{table(c.Scores...)}, c.Labels, c.K)
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Right).To(Equal(c.Right), "case %d", i)
		Expect(a.Least).To(BeNumerically("~", c.Least, 1e-12), "case %d", i)
		Expect(a.Most).To(BeNumerically("~", c.Most, 1e-12), "case %d", i)
		Expect(decisions.Confusion(table(c.Scores...), c.Labels)).To(Equal(c.Confusion), "case %d", i)
	}
})

var _ = It("boxes match as pycocotools matches them, at every threshold", func() {
	layout := func(v []float64) decisions.Detection {
		d := decisions.Detection{Box: decisions.Box{v[0], v[1], v[0] + v[2], v[1] + v[3]},
			Class: int(v[4])}
		if len(v) > 5 {
			d.Score = v[5]
		}
		return d
	}
	for i, c := range recorded[struct {
		Expected, Actual [][]float64
		Most             int
		Matches          [][]int
		IoU              [][]float64
	}]("matches.json", 200) {
		var actual []decisions.Detection
		var expected []decisions.Truth
		for _, v := range c.Actual {
			actual = append(actual, layout(v))
		}
		for _, v := range c.Expected {
			d := layout(v)
			expected = append(expected, decisions.Truth{Box: d.Box, Class: d.Class})
		}
		for k := range actual {
			for n := range expected {
				Expect(actual[k].Box.IoU(expected[n].Box)).To(
					BeNumerically("~", c.IoU[k][n], 1e-12), "case %d", i)
			}
		}
		for t, want := range c.Matches {
			got := make([]int, len(actual))
			for k := range got {
				got[k] = -1
			}
			iou := 0.5 + 0.05*float64(t)
			for _, p := range decisions.MatchBoxes(actual, expected, iou, c.Most, false) {
				got[p.Actual] = p.Expected
			}
			Expect(got).To(Equal(want), "case %d, IoU %v", i, iou)
		}
	}
})

var _ = It("masks agree with scikit-learn, and their boundaries with SciPy", func() {
	flat := func(rows [][]int32) *tensor.Tensor {
		GinkgoHelper()
		var all []int32
		for _, row := range rows {
			all = append(all, row...)
		}
		return shaped(tensor.Shape{len(rows), len(rows[0])}, all...)
	}
	for i, c := range recorded[struct {
		Actual, Expected  [][]int32
		Boundary, Excused int
		Equal, IoU        float64
	}]("masks.json", 150) {
		f := judged(decisions.Mask{Boundary: c.Boundary, MeanIoU: 1}, flat(c.Actual), flat(c.Expected))
		Expect(f.Excused).To(Equal(c.Excused), "case %d", i)
		Expect(measured(f, "equal pixels")).To(BeNumerically("~", c.Equal, 1e-12), "case %d", i)
		Expect(measured(f, "mean IoU")).To(BeNumerically("~", c.IoU, 1e-12), "case %d", i)
	}
})

var _ = It("edit distances agree with RapidFuzz", func() {
	for i, c := range recorded[struct {
		X, Y     []int
		Distance int
	}]("edits.json", 500) {
		Expect(decisions.EditDistance(c.X, c.Y)).To(Equal(c.Distance), "case %d", i)
	}
})

var _ = It("similarities and neighbours agree with scikit-learn", func() {
	for i, c := range recorded[struct {
		Actual, Expected  [][]float64
		K                 int
		Least, Mean, Stay float64
	}]("embeddings.json", 140) {
		f := judged(decisions.Embeddings{Cosine: -0.999999, K: c.K, Neighbours: 1},
			table(c.Actual...), table(c.Expected...))
		Expect(measured(f, "least cosine")).To(BeNumerically("~", c.Least, 1e-12), "case %d", i)
		Expect(measured(f, "mean cosine")).To(BeNumerically("~", c.Mean, 1e-12), "case %d", i)
		Expect(measured(f, "share of nearest neighbours unchanged")).To(
			BeNumerically("~", c.Stay, 1e-12), "case %d", i)
	}
})

var _ = It("the bound of a loss agrees with its definition", func() {
	for i, c := range recorded[struct {
		Rows, Lost, Won int
		Bound           float64
	}]("losses.json", 100) {
		Expect(decisions.LossBound(c.Rows, c.Lost, c.Won)).To(
			BeNumerically("~", c.Bound, 1e-6), "case %d: %v", i, c)
	}
})
