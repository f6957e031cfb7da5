package relations_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// leveled is an engine with two levels.
type leveled struct {
	backends.Engine
	high fickle.Fault
}

func (l leveled) Capabilities() backends.Capabilities {
	return backends.Capabilities{Levels: func() ([]backends.Engine, error) {
		return []backends.Engine{fickle.Engine(fickle.None), fickle.Engine(l.high)}, nil
	}}
}

// built is an engine whose later builds choose other kernels for a layer, and may be wrong.
type built struct {
	backends.Engine
	builds *int
	other  bool
}

func (b built) Capabilities() backends.Capabilities {
	return backends.Capabilities{Rebuild: b.rebuild}
}

func (b built) rebuild() (backends.Engine, func() (map[string]string, error), func(), error) {
	*b.builds++
	choices := map[string]string{"conv": "tactic 1", "fc": "tactic 7"}
	e := fickle.Engine(fickle.None)
	if *b.builds > 1 {
		e = fickle.Engine(fickle.ByIndex)
		if b.other {
			choices["fc"] = "tactic 9"
		}
	}
	return e, func() (map[string]string, error) { return choices, nil }, func() {}, nil
}

// healed is ONNX Runtime whose outputs change if a tensor is marked.
func healed(tensorName string) backends.Engine {
	return fake.Engine(fake.Opens(func(ctx context.Context, m fixtures.Declaration,
		in fixtures.Inputs) (backends.Backend, error) {
		b, err := ort.Engine().Open(ctx, m, in)
		if err != nil {
			return nil, err
		}
		outputs, err := m.(*loaders.Model).Outputs()
		if err != nil {
			return nil, err
		}
		for _, o := range outputs {
			if o.Name == tensorName {
				return changing{b}, nil
			}
		}
		return b, nil
	}))
}

// changing is a backend whose outputs are all 0.5 too large.
type changing struct{ backends.Backend }

func (c changing) Run(ctx context.Context, in fixtures.Inputs) (*backends.Run, error) {
	run, err := c.Backend.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	return run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
		var entries []tensor.Entry
		for name, t := range set.All() {
			values, err := tensor.Values[float32](t)
			if err != nil {
				return nil, err
			}
			more := make([]float32, len(values))
			for i, v := range values {
				more[i] = v + 0.5
			}
			changed, err := tensor.New(t.Shape(), more)
			if err != nil {
				return nil, err
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: changed})
		}
		return tensor.NewSet(entries...)
	})
}

var _ = Describe("an engine against itself", func() {
	near := relations.Options{Rule: relations.Rule{
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Max)}}}

	It("is named by the level that differs", func(ctx SpecContext) {
		s := subject(ctx, fickle.None, 2)
		s.Engine = leveled{s.Engine, fickle.ByIndex}
		report, err := relations.Check(ctx, s, near, relations.Levels())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Text()).To(ContainSubstring(
			"in fickle: results depend on the row's index, compared with fickle: none: output"))
		s.Engine = leveled{s.Engine, fickle.None}
		report, err = relations.Check(ctx, s, near, relations.Levels())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Holds()).To(BeTrue())
	})

	It("is named by the layers of another build for which it chose other kernels",
		func(ctx SpecContext) {
			s := subject(ctx, fickle.None, 2)
			s.Engine = built{s.Engine, new(int), true}
			report, err := relations.Check(ctx, s, relations.Options{}, relations.Rebuild(3))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Text()).To(ContainSubstring("in build 2, compared with the first: output"))
			Expect(report.Primary().Breach.Blame).To(
				Equal(`layer "fc": tactic 9; in the first build tactic 7`))
			s.Engine = built{s.Engine, new(int), false}
			report, err = relations.Check(ctx, s, relations.Options{}, relations.Rebuild(2))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Primary().Breach.Blame).To(
				Equal("both builds chose the same kernels for all 2 layers"))
			report, err = relations.Check(ctx, s, relations.Options{}, relations.Rebuild(1))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Refused().Refused).To(ContainSubstring(
				"there is nothing to compare; ask for 2 or more"))
		})

	It("is named if marking tensors changes the outputs", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := examples["digits"].model
		inside, err := model.Select(loaders.Selection{All: true})
		Expect(err).NotTo(HaveOccurred())
		outputs, err := model.Outputs()
		Expect(err).NotTo(HaveOccurred())
		chosen := ""
		for _, name := range inside[2:] {
			if name != outputs[0].Name && chosen == "" {
				chosen = name
			}
		}
		s := backends.Subject{Engine: healed(chosen), Model: model,
			Inputs: examples["digits"].inputs(model)}
		report, err := relations.Check(ctx, s, near, relations.Marking())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Text()).To(MatchRegexp(`with \d+ tensors marked, compared with none: output`))
	})
})
