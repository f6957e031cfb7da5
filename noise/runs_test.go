package noise_test

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// counted is an engine that counts runs by the model's file name.
type counted struct {
	backends.Engine
	runs *map[string]int
}

func (c counted) ran(model fixtures.Declaration) { (*c.runs)[filepath.Base(model.Name())]++ }

func (c counted) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	b, err := c.Engine.Open(ctx, model, inputs)
	return countedBackend{b, func() { c.ran(model) }}, err
}

type countedBackend struct {
	backends.Backend
	ran func()
}

func (b countedBackend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	b.ran()
	return b.Backend.Run(ctx, inputs)
}

// reweighing is a counted engine that accepts other constants.
type reweighing struct{ counted }

func (r reweighing) Capabilities() backends.Capabilities {
	return backends.Capabilities{Reweigh: r.reweigh}
}

func (r reweighing) reweigh(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	replace backends.Replace) ([]*tensor.Set, error) {
	r.ran(model)
	return backends.RunReweighed(ctx, r.Engine, model, inputs, replace)
}

var _ = Describe("The runs that noise takes", func() {
	// One further run checks the engine on the model's products.
	for _, c := range []struct {
		runs    int
		options []noise.Option
	}{{8, []noise.Option{noise.Runs(8)}}, {5, []noise.Option{noise.Runs(5)}}} {
		It(fmt.Sprintf("are %d", c.runs), func(ctx SpecContext) {
			ort.Require(GinkgoT())
			model, inputs := digits()
			for _, in := range []func(counted) backends.Engine{
				func(e counted) backends.Engine { return e },
				func(e counted) backends.Engine { return reweighing{e} },
			} {
				runs := map[string]int{}
				engine := in(counted{ort.Engine(), &runs})
				subject := backends.Subject{Engine: engine, Model: model, Inputs: inputs}
				_, err := noise.Measure(ctx, subject, append(c.options, noise.In(engine))...)
				Expect(err).NotTo(HaveOccurred())
				Expect(runs).To(Equal(map[string]int{"digits.onnx": c.runs + 1}))
			}
		})
	}

	It("are as many as the bars need, in no engine under test", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model, inputs := digits()
		runs := map[string]int{}
		measured, err := noise.Measure(ctx, backends.Subject{Model: model, Inputs: inputs,
			Engine: counted{ort.Engine(), &runs}})
		Expect(err).NotTo(HaveOccurred())
		Expect(runs).To(BeEmpty())
		Expect(measured.Runs).To(BeNumerically(">", 8)) // its probabilities move together
		Expect(measured.Runs).To(BeNumerically("<=", 64))
	})

	It("say how long they took, from a second on", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model, inputs := digits()
		r, err := noise.Between(nil, run(ctx, ort.Engine(), model, inputs))
		Expect(err).NotTo(HaveOccurred())
		Expect(r.TextAfter(3*time.Second, compare.Bars{})).To(ContainSubstring(
			"\nmeasuring it took 3 s\n"))
		Expect(r.TextAfter(time.Second/2, compare.Bars{})).NotTo(ContainSubstring("took"))
	})
})
