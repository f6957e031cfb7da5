package locate_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
)

// fitting counts what an engine with options for one model is asked.
type fitting struct {
	folder                  string // where parts share what they measured
	made, forgotten, opened int
	caution                 string
}

// fitted is an engine that opens parts through another engine, and nothing by itself.
type fitted struct {
	backends.Engine
	*fitting
}

func (f fitted) String() string { return "fitted" }

func (f fitted) Capabilities() backends.Capabilities {
	return backends.Capabilities{Parts: f.forParts, Caution: func() string { return f.caution }}
}

func (f fitted) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (
	backends.Backend, error) {
	return nil, errors.New("opened without being fitted")
}

func (f fitted) forParts(_ context.Context, _ fixtures.Declaration, _ fixtures.Inputs) (
	backends.Engine, func(), error) {
	if f.folder == "" {
		return nil, nil, errors.New("there is no room for timings")
	}
	f.made++
	return parts(f), func() { f.forgotten++ }, nil
}

type parts struct {
	backends.Engine
	*fitting
}

func (p parts) Open(ctx context.Context, m fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	p.opened++
	return p.Engine.Open(ctx, m, in)
}

var _ = Describe("An engine whose options speak of one model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	faulty := func() onnxtest.Graph {
		g := network(4)
		g.Nodes[4].Op = "Sub"
		return g
	}

	It("opens all parts, and forgets what they shared", func(ctx SpecContext) {
		f := &fitting{folder: "timings", caution: "types were chosen"}
		a := side("actual", faulty())
		a.Engine = fitted{a.Engine, f}
		e := side("expected", network(4))
		found, err := locate.Divergence(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.First.Node).To(Equal("add1"))
		Expect(found.Notes).To(BeEmpty(), "a node was found that is wrong by itself")
		Expect(f.opened).To(BeNumerically(">", 2))
		Expect([]int{f.made, f.forgotten}).To(Equal([]int{1, 1}))

		_, err = locate.Extract(ctx, a, nil, []string{"a1"})
		Expect(err).NotTo(HaveOccurred())
		Expect([]int{f.made, f.forgotten}).To(Equal([]int{2, 2}))

		fails, forget, err := locate.Differs(ctx, a, e, strict().Compare)
		Expect(err).NotTo(HaveOccurred())
		reduced, err := locate.Reduce(ctx, a, fails, locate.ReduceOptions{Recorder: e})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add1"}))
		forget()
		Expect([]int{f.made, f.forgotten}).To(Equal([]int{4, 4}))
	})

	It("runs a part by itself as it was run in the search", func(ctx SpecContext) {
		f := &fitting{folder: "timings"}
		s := side("model", network(2))
		e := fitted{plain, f}
		part, err := locate.Extract(ctx, s, []string{"t0"}, []string{"a1"})
		Expect(err).NotTo(HaveOccurred())
		run, err := backends.RunPart(ctx, e, part.Model, fixtures.Of(part.Inputs...))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"a1"}))
		Expect(run.Subject().Engine).To(Equal(e), "what parts share is forgotten")
		Expect([]int{f.made, f.opened, f.forgotten}).To(Equal([]int{1, 1, 1}))
		_, err = backends.RunPart(ctx, fitted{plain, &fitting{}}, part.Model, fixtures.Inputs{})
		Expect(err).To(MatchError("there is no room for timings"))
	})

	It("ends the finding with its caution where no node is wrong by itself", func(ctx SpecContext) {
		a := side("model", network(2))
		a.Engine = fitted{a.Engine, &fitting{folder: "timings", caution: "types were chosen"}}
		found, err := locate.Divergence(ctx, a, side("model", network(2)), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Text()).To(HaveSuffix(
			"note: no node is out of tolerance when run alone; types were chosen"))
		options := strict()
		options.Isolate = false
		found, err = locate.Divergence(ctx, a, side("model", network(2)), options)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Notes).To(BeEmpty(), "no node ran alone")
	})
})
