package decisions_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

func TestDecisions(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "compare/decisions")
}

// recorded reads cases that testdata/reference.py wrote.
func recorded[C any](file string, least int) []C {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	Expect(err).NotTo(HaveOccurred())
	var cases []C
	Expect(json.Unmarshal(text, &cases)).To(Succeed())
	Expect(len(cases)).To(BeNumerically(">=", least))
	return cases
}

// set is the outputs of one iteration, names and tensors in turns.
func set(namesAndTensors ...any) *tensor.Set {
	GinkgoHelper()
	var entries []tensor.Entry
	for i := 0; i < len(namesAndTensors); i += 2 {
		entries = append(entries, tensor.Entry{Name: namesAndTensors[i].(string),
			Tensor: namesAndTensors[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// shaped is a tensor of a shape.
func shaped[T tensor.Native](shape tensor.Shape, values ...T) *tensor.Tensor {
	GinkgoHelper()
	t, err := tensor.New(shape, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

// judged holds one tensor to another.
func judged(rule decisions.Rule, actual, expected *tensor.Tensor) *decisions.Findings {
	GinkgoHelper()
	f, err := decisions.Judge(rule, []*tensor.Set{set("y", actual)}, []*tensor.Set{set("y", expected)})
	Expect(err).NotTo(HaveOccurred())
	return f
}

// refused is why one tensor cannot be held to another.
func refused(rule decisions.Rule, actual, expected *tensor.Tensor) error {
	GinkgoHelper()
	_, err := decisions.Judge(rule, []*tensor.Set{set("y", actual)}, []*tensor.Set{set("y", expected)})
	Expect(err).To(HaveOccurred())
	return err
}

// counts are the decisions, the flips beyond the margin and the excused ones.
func counts(f *decisions.Findings) []int { return []int{f.Decisions, f.Unexcused, f.Excused} }

// measured is the number of that name.
func measured(f *decisions.Findings, name string) float64 {
	GinkgoHelper()
	for _, m := range f.Measures {
		if m.Name == name {
			return m.Value
		}
	}
	Fail("no measure " + name)
	return 0
}

func table(rows ...[]float64) *tensor.Tensor {
	GinkgoHelper()
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	t, err := tensor.New(tensor.Shape{len(rows), len(rows[0])}, flat)
	Expect(err).NotTo(HaveOccurred())
	return t
}

var _ = It("COCO agrees with pycocotools in all twelve numbers", func() {
	for i, c := range recorded[struct {
		Images       int
		Truth, Found [][]float64
		Stats        []float64
	}]("coco.json", 300) {
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
		got := []float64{p.AP, p.AP50, p.AP75, p.APSmall, p.APMedium, p.APLarge,
			p.AR1, p.AR10, p.AR100, p.ARSmall, p.ARMedium, p.ARLarge}
		for k := range got {
			Expect(got[k]).To(BeNumerically("~", c.Stats[k], 1e-12), "case %d, number %d", i, k)
		}
	}
})

var _ = It("Kendall's tau and NDCG agree with SciPy and scikit-learn", func() {
	for i, c := range recorded[struct {
		X, Y []float64
		K    int
		Tau  *float64
		NDCG float64
	}]("rankings.json", 3000) {
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
	}]("accuracies.json", 300) {
		a, err := decisions.TopKAccuracy(table(c.Scores...), c.Labels, c.K)
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Right).To(Equal(c.Right), "case %d", i)
		Expect(a.Least).To(BeNumerically("~", c.Least, 1e-12), "case %d", i)
		Expect(a.Most).To(BeNumerically("~", c.Most, 1e-12), "case %d", i)
		Expect(decisions.Confusion(table(c.Scores...), c.Labels)).To(Equal(c.Confusion), "case %d", i)
	}
})
