package runs_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Saved data put together", func() {
	inputs := func(sets ...*tensor.Set) string {
		GinkgoHelper()
		var text []string
		for i, s := range sets {
			path := temporary(strings.Repeat("i", i+1) + ".npz")
			Expect(runs.WriteRuns(path, []runs.Named{{Name: "r", Run: runOf(s)}})).To(Succeed())
			text = append(text, path)
		}
		path := temporary("inputs.json")
		Expect(runs.Concat(context.Background(), path, text...)).To(Succeed())
		return path
	}
	outputs := func(names ...string) string {
		GinkgoHelper()
		var saved []runs.Named
		for i, name := range names {
			saved = append(saved, runs.Named{Name: name,
				Run: runOf(must("y", tensor.Of(float32(i))))})
		}
		path := temporary("outputs.json")
		Expect(runs.WriteRuns(path, saved)).To(Succeed())
		return path
	}
	x := func(v float32) *tensor.Set { return must("x", tensor.Of(v)) }

	It("has every iteration's own tensors, where Polygraphy's merge repeats the last", func() {
		first, second := inputs(x(1), x(2)), inputs(must("z", tensor.Of[float32](3)),
			must("z", tensor.Of[float32](4)))
		merged, err := runs.Merge(context.Background(), first, second)
		Expect(err).NotTo(HaveOccurred())
		var all []string
		for set, err := range merged.All() {
			Expect(err).NotTo(HaveOccurred())
			Expect(set.Names()).To(Equal([]string{"x", "z"}))
			for _, t := range set.All() {
				all = append(all, t.Text(0))
			}
		}
		Expect(all).To(Equal([]string{"1", "3", "2", "4"}))
	})

	It("is never one of two values, and never half an iteration", func() {
		_, err := runs.Merge(context.Background(), inputs(x(1)), inputs(x(2)))
		Expect(err).To(MatchError(ContainSubstring(`contain different values of "x"`)))
		_, err = runs.Merge(context.Background(), inputs(x(1)), inputs(x(1)))
		Expect(err).NotTo(HaveOccurred(), "the same value twice is one")
		_, err = runs.Merge(context.Background(), inputs(x(1)), inputs(x(1), x(2)))
		Expect(err).To(MatchError(ContainSubstring("has 2 iterations, ")))
		_, err = runs.Merge(context.Background(), outputs("a", "b"))
		Expect(err).To(MatchError(ContainSubstring("select a run with FILE#RUN")))
		_, err = runs.Merge(context.Background())
		Expect(err).To(MatchError(ContainSubstring("name the files")))
	})

	It("joins runs by their names, and single runs whatever theirs", func() {
		path := temporary("joined.json")
		Expect(runs.Concat(context.Background(), path, outputs("a", "b"), outputs("b", "a"))).To(
			Succeed())
		saved, err := runs.ReadRuns(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(saved).To(HaveLen(2))
		Expect(saved[0].Run.Outputs()).To(HaveLen(2))
		y, _ := saved[0].Run.Outputs()[1].Get("y")
		Expect(y.Text(0)).To(Equal("1"), "the run a is the second of the second file")

		Expect(runs.Concat(context.Background(), path, outputs("monday"), outputs("tuesday"))).To(
			Succeed())
		saved, err = runs.ReadRuns(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(saved).To(HaveExactElements(HaveField("Run.Len()", 2)))
	})

	It("keeps inputs and outputs apart", func() {
		path := temporary("joined.json")
		Expect(runs.Concat(context.Background(), path, inputs(x(1)), outputs("a"))).To(
			MatchError(ContainSubstring("cannot be joined")))
		Expect(runs.Concat(context.Background(), path)).To(
			MatchError(ContainSubstring("name the files")))
		Expect(path).NotTo(BeAnExistingFile())
	})
})
