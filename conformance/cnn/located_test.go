package cnn_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// inTRT is TensorRT for the localiser.
func inTRT(options ...trt.Option) backends.Engine {
	return fake.Engine(fake.Opens(func(ctx context.Context, m fixtures.Declaration,
		fed fixtures.Inputs) (backends.Backend, error) {
		engine, err := trt.Engine(onGPU(options...)...).Open(ctx, m, fed)
		if err != nil {
			return nil, err
		}
		return asOutputs{engine}, nil
	}))
}

// asOutputs hides that an engine can read inner tensors, because TensorRT before 10.12 builds one
// engine per tensor. These faults are in the model and visible in any engine, and one engine with
// many outputs builds as fast as one with a single tensor.
type asOutputs struct{ backends.Backend }

// norm returns a rule relative to each tensor's norm. Two float32 engines differ by 1e-6; the
// planted faults by a thousand times that. Layers with a set precision may return their tensors in
// it.
func norm(limit float64) locate.Options {
	return locate.Options{Compare: compare.Options{AnyElementType: true,
		Checks: []compare.Check{compare.NormRelative(limit)}}}
}

const (
	apart = 1e-4 // a tensor counts as different
	shown = 1e-3 // minimum effect of a fault on its node's output
)

// planted returns a network with a fault that is visible in its node's output.
func planted(ctx context.Context, right *cnn.Network, kind string) (*cnn.Network, int) {
	GinkgoHelper()
	for _, f := range cnn.Faults() {
		if f.Name != kind {
			continue
		}
		for _, i := range rand.New(rand.NewPCG(1, 7)).Perm(len(right.Nodes())) {
			wrong := right.Clone()
			if f.Plant(wrong, i) && shows(ctx, wrong, right, right.Nodes()[i].Outputs[0]) {
				return wrong, i
			}
		}
	}
	Fail("no node shows the fault " + kind)
	return nil, 0
}

// shows reports whether a tensor differs in the wrong network.
func shows(ctx context.Context, wrong, right *cnn.Network, name string) bool {
	GinkgoHelper()
	run := func(n *cnn.Network) *backends.Run {
		model, err := whole(n).Mark(name)
		Expect(err).NotTo(HaveOccurred())
		run, err := ort.Run(ctx, model, image(model))
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	actual, _ := run(wrong).Outputs()[0].Get(name)
	expected, _ := run(right).Outputs()[0].Get(name)
	o, err := compare.Tensors(actual, expected, norm(shown).Compare)
	Expect(err).NotTo(HaveOccurred())
	return o.Verdict == compare.Fail
}

func image(m *loaders.Model) fixtures.Inputs {
	return fixtures.Random(m, fixtures.Seed(3), fixtures.ValRange(-1, 1))
}

// located plants a fault and checks that the localiser finds it, between the faulty network in one
// engine and the correct one in ONNX Runtime.
func located(ctx context.Context, name, kind string, engine backends.Engine) {
	GinkgoHelper()
	right := sown(name)
	wrong, index := planted(ctx, right, kind)
	model := whole(wrong)
	report, err := locate.Divergence(ctx,
		backends.Subject{Engine: engine, Model: model, Inputs: image(model)},
		backends.Subject{Engine: ort.Engine(), Model: whole(right)}, norm(apart))
	Expect(err).NotTo(HaveOccurred())
	AddReportEntry("located", report.Text())
	Expect(report.First).NotTo(BeNil(), report.Text())
	Expect(report.First.Index).To(Equal(index), report.Text())
	Expect(report.First.Node).To(Equal(right.Nodes()[index].Name), report.Text())
}

var faults = []struct{ network, kind string }{
	{"squeezenet", "one weight changed"},
	{"squeezenet", "another operator"},
	{"resnet50", "a wrong wire"},
	{"resnet50", "one weight changed"},
	{"shufflenet", "weights rounded to bfloat16"},
}

var _ = Describe("The localiser", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, f := range faults {
		what := fmt.Sprintf("names the node in %s with %s, actual in ", f.network, f.kind)
		It(what+"ONNX Runtime without optimization", func(ctx SpecContext) {
			located(ctx, f.network, f.kind, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
		}, long)
		It(what+"TensorRT", Label("gpu"), func(ctx SpecContext) {
			trt.Require(GinkgoT())
			located(ctx, f.network, f.kind, inTRT())
		}, long)
	}

	nothing := func(ctx SpecContext, engine backends.Engine) {
		model := whole(sown("squeezenet"))
		report, err := locate.Divergence(ctx,
			backends.Subject{Engine: engine, Model: model, Inputs: image(model)},
			backends.Subject{Engine: ort.Engine(), Model: model}, norm(apart))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First).To(BeNil(), report.Text())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
	}
	It("finds nothing without a fault, in ONNX Runtime", func(ctx SpecContext) {
		nothing(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
	}, long)
	It("finds nothing without a fault, in TensorRT", Label("gpu"), func(ctx SpecContext) {
		trt.Require(GinkgoT())
		nothing(ctx, inTRT())
	}, long)
})
