package backends_test

import (
	"context"
	"iter"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// counting gives another value each time it is drawn.
func counting() fixtures.Inputs {
	drawn := 0
	return fixtures.Repeatable("counting", func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			drawn++
			yield(tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Scalar(int64(drawn))}))
		}
	})
}

var _ = Describe("A run's subject", func() {
	p := backends.Provenance{Backend: "abacus"}

	It("draws the run's inputs again", func(ctx SpecContext) {
		run, err := backends.Collect(ctx, p, backends.Subject{}, three, echo)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Subject().InputsSHA256).To(Equal(run.Provenance.InputsSHA256))
		sets, err := run.Subject().Draw()
		Expect(err).NotTo(HaveOccurred())
		Expect(sets).To(HaveLen(3))
	})

	It("rejects inputs that changed when drawn again", func(ctx SpecContext) {
		run, err := backends.Collect(ctx, p, backends.Subject{}, counting(), echo)
		Expect(err).NotTo(HaveOccurred())
		_, err = run.Subject().Draw()
		Expect(err).To(MatchError(MatchRegexp(`the inputs \(counting\) changed since the run: ` +
			`sha256 [0-9a-f]{12}, but [0-9a-f]{12} in the run; use inputs that are the same each ` +
			`time they are drawn`)))
	})

	It("carries the context of the run", func(ctx SpecContext) {
		spec, cancel := context.WithCancel(ctx)
		run, err := backends.Collect(spec, p, backends.Subject{}, three, echo)
		Expect(err).NotTo(HaveOccurred())
		Expect(backends.ContextOf(run)).To(BeIdenticalTo(spec))
		cancel()
		Expect(backends.ContextOf(run)).To(Equal(context.Background()), "it cannot be repeated")

		of := backends.Subject{Engine: fake.Engine(), Model: loaders.ONNX("m.onnx")}
		under, cancel := context.WithCancel(ctx)
		run, err = backends.Collect(under, p, of, three, echo)
		Expect(err).NotTo(HaveOccurred())
		same, err := run.Changed(func(s *tensor.Set) (*tensor.Set, error) { return s, nil })
		Expect(err).NotTo(HaveOccurred())
		Expect(backends.ContextOf(nil, run)).To(BeIdenticalTo(under))
		Expect(backends.ContextOf(same)).To(BeIdenticalTo(under))
		cancel()
		_, err = backends.ContextOf(run)
		Expect(err).To(MatchError(ContainSubstring("the run's context has ended")))
		Expect(backends.ContextOf(run, same.Under(ctx))).To(BeIdenticalTo(context.Context(ctx)))
	})

	It("says why a run from a file cannot be made again", func() {
		Expect(backends.NewRun(p).Subject().Repeatable()).To(MatchError(
			"the run was read from a file and has no engine that could repeat it; run the model in " +
				"the spec instead"))
	})
})

var _ = Describe("A digest", func() {
	sum := func(sets ...*tensor.Set) string {
		d := inputsum.New()
		for _, set := range sets {
			d.Add(set)
		}
		return d.Sum()
	}
	set := func(entries ...tensor.Entry) *tensor.Set {
		GinkgoHelper()
		s, err := tensor.NewSet(entries...)
		Expect(err).NotTo(HaveOccurred())
		return s
	}
	words := func(values ...string) tensor.Entry {
		GinkgoHelper()
		t, err := tensor.FromStrings(tensor.Shape{len(values)}, values)
		Expect(err).NotTo(HaveOccurred())
		return tensor.Entry{Name: "b", Tensor: t}
	}
	a := tensor.Entry{Name: "a", Tensor: tensor.Of[float32](1, 2)}
	b := words("x", "yz")

	It("is the same in any order of names", func() {
		Expect(sum(set(a, b))).To(Equal(sum(set(b, a))))
	})

	DescribeTable("differs with", func(other *tensor.Set) {
		Expect(sum(other)).NotTo(Equal(sum(set(a, b))))
	},
		Entry("a name", set(tensor.Entry{Name: "c", Tensor: a.Tensor}, b)),
		Entry("a value", set(tensor.Entry{Name: "a", Tensor: tensor.Of[float32](1, 3)}, b)),
		Entry("a type", set(tensor.Entry{Name: "a", Tensor: tensor.Of[int32](1, 2)}, b)),
		Entry("where a string ends", set(a, words("xy", "z"))),
		Entry("a tensor less", set(a)),
	)

	It("differs where iterations fall apart otherwise", func() {
		Expect(sum(set(a), set(b))).NotTo(Equal(sum(set(a, b))))
	})
})
