package locate_test

import (
	"context"
	"errors"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// glass is a side whose engine shows its inside, and computes otherwise in other models: as one
// that chooses less exact kernels for a whole model than for a part.
type glass struct {
	backends.Subject
	lacks []string // tensors that the engine does not show
	shift float32  // what its own a3 is too large by, and all that comes of it
	fails error    // of showing
	moves bool     // showing changes the engine's outputs
	asked [][]string
	fakes []backends.Backend
	inner backends.Engine // of the last fake
	asks  func()          // called when it is asked to show something
}

func newGlass(s backends.Subject) *glass {
	g := &glass{}
	g.Subject = by(s, g.open)
	g.Engine = watching{g.Engine, g}
	return g
}

// watching is an engine that shows the inside of what the glass has opened.
type watching struct {
	backends.Engine
	glass *glass
}

func (w watching) Capabilities() backends.Capabilities {
	return backends.Capabilities{RunWithTensors: w.glass.show}
}

func (g *glass) open(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
	backends.Backend, error) {
	if m != g.Model {
		return plain.Open(ctx, m, in)
	}
	g.inner = fake.Engine(fake.Func(g.infer(nil)), fake.Inside(g.infer(innards)))
	b, err := g.inner.Open(ctx, m, in)
	g.fakes = append(g.fakes, b)
	return b, err
}

// innards is every tensor of network(6).
var innards = []string{"m0", "a0", "t0", "m1", "a1", "t1", "m2", "a2", "t2", "m3", "a3", "t3", "m4",
	"a4", "t4", "m5", "a5", "y"}

// infer runs the side's model with marks, and shifts what comes after a3.
func (g *glass) infer(marks []string) backends.Infer {
	return func(ctx context.Context, in *tensor.Set) (*tensor.Set, error) {
		m := g.Model.(*loaders.Model)
		var err error
		if len(marks) > 0 {
			m, err = m.Mark(marks...)
		}
		if err != nil {
			return nil, err
		}
		b, err := plain.Open(ctx, m, fixtures.Of(in))
		if err != nil {
			return nil, err
		}
		defer b.Close()
		got, err := b.Run(ctx, fixtures.Of(in))
		if err != nil {
			return nil, err
		}
		var entries []tensor.Entry
		for name, t := range got.Outputs()[0].All() {
			at := slices.Index(innards, name)
			if marks != nil && slices.Contains(g.lacks, name) {
				continue
			}
			values, err := tensor.Values[float32](t)
			if err != nil {
				return nil, err
			}
			moved := slices.Clone(values)
			for i := range moved {
				if at >= slices.Index(innards, "a3") {
					moved[i] += g.shift
				}
			}
			t, err = tensor.New(t.Shape(), moved)
			if err != nil {
				return nil, err
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		return tensor.NewSet(entries...)
	}
}

// show notes what is asked for, and fails or moves as the glass says.
func (g *glass) show(ctx context.Context, b backends.Backend, in fixtures.Inputs, names []string) (
	*backends.Run, error) {
	g.asked = append(g.asked, names)
	if g.asks != nil {
		g.asks()
	}
	if g.fails != nil {
		return nil, g.fails
	}
	if g.moves {
		before := g.shift
		g.shift++
		defer func() { g.shift = before }()
	}
	return backends.CapabilitiesOf(g.inner).RunWithTensors(ctx, b, in, names)
}

var _ = Describe("Divergence in an engine that shows its inside", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	find := func(ctx context.Context, g *glass) *locate.Finding {
		GinkgoHelper()
		e := side("expected", network(6))
		report, err := locate.Divergence(ctx, g.Subject, e, strict())
		Expect(err).NotTo(HaveOccurred())
		return report
	}
	newSide := func() *glass { return newGlass(side("actual", network(6))) }

	It("asks the engine, and leaves the model as it is", func(ctx SpecContext) {
		g := newSide()
		g.shift = 0.5
		report := find(ctx, g)
		Expect(report.First.Tensor).To(Equal("a3"))
		Expect(report.Notes).To(BeEmpty())
		Expect(report.MarkedVerdict).To(Equal(compare.Fail))
		Expect(slices.Sorted(slices.Values(slices.Concat(g.asked...)))).
			To(Equal(slices.Sorted(slices.Values(innards))))
	})

	It("tells what the whole engine computes otherwise than the node alone", func(ctx SpecContext) {
		g := newSide()
		g.shift = 0.5
		report := find(ctx, g)
		// A marked model would have hidden it: only the engine in question has the fault.
		Expect(report.Isolated).To(BeNil())
		Expect(report.Cause).To(ContainSubstring("its inputs do not explain the error, " +
			"but when run alone, the node is within tolerance"))
	})

	It("asks for neighbours in different engines", func(ctx SpecContext) {
		g := newSide()
		find(ctx, g)
		for _, names := range g.asked {
			for i := 1; i < len(names); i++ {
				Expect(slices.Index(innards, names[i])-slices.Index(innards, names[i-1])).
					To(BeNumerically(">=", 4), "%v", names)
			}
		}
		Expect(len(g.asked)).To(BeNumerically("<", len(innards)))
	})

	It("marks what the engine does not show, and says so", func(ctx SpecContext) {
		g := newSide()
		g.lacks = []string{"m1", "a4"}
		report := find(ctx, g)
		Expect(report.First).To(BeNil())
		Expect(report.Notes).To(Equal([]string{
			"actual in fake Opens(a function) does not return m1, a4, so they were read from a copy of " +
				"the model that does"}))
		for _, p := range report.Tensors {
			Expect(p.Verdict).To(Equal(compare.Pass), p.Tensor)
		}
	})

	It("marks everything in an engine that fails to show", func(ctx SpecContext) {
		g := newSide()
		g.fails = errors.New("no implementation for the node")
		report := find(ctx, g)
		Expect(report.Tensors).To(HaveLen(18))
		Expect(report.Notes).To(ConsistOf(HavePrefix(
			"actual in fake Opens(a function) does not return m0, a0, t0, m1, a1, t1, m2, a2, t2, m3 … " +
				"and 8 more, ")))
	})

	It("says where showing changes the engine", func(ctx SpecContext) {
		g := newSide()
		g.moves = true
		report := find(ctx, g)
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.MarkedVerdict).To(Equal(compare.Fail))
		Expect(report.Notes).To(ContainElement(MatchRegexp(
			`^actual in fake Opens\(a function\): m0, a0.* were read from engines whose outputs are not ` +
				"bit-identical to the outputs of the engine under test$")))
	})

	It("closes the engine, and stops when the context ends", func(ctx SpecContext) {
		g := newSide()
		find(ctx, g)
		for _, b := range g.fakes {
			_, err := b.Run(ctx, fixtures.Inputs{})
			Expect(err).To(MatchError(backends.ErrClosed))
		}
		cancelled, cancel := context.WithCancel(ctx)
		g = newSide()
		g.fails = errors.New("given up")
		g.asks = cancel // ends the search
		e := side("expected", network(6))
		_, err := locate.Divergence(cancelled, g.Subject, e, strict())
		Expect(err).To(MatchError(context.Canceled))
	})
})
