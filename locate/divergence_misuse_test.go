package locate_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("Divergence's misuse", func() {
	DescribeTable("is an error",
		func(ctx SpecContext, change func(a, e *backends.Subject, o *locate.Options), message string) {
			a, e, o := side("a", network(1)), side("e", network(1)), strict()
			change(&a, &e, &o)
			_, err := locate.Divergence(ctx, a, e, o)
			Expect(err).To(MatchError(ContainSubstring(message)))
		},
		Entry("no model", func(a, _ *backends.Subject, _ *locate.Options) { a.Model = nil },
			"locate: the actual side: the run's model is unknown, so the run cannot be repeated"),
		Entry("an empty model", func(a, _ *backends.Subject, _ *locate.Options) {
			a.Model = (*loaders.Model)(nil)
		}, "locate: the actual side has no model"),
		Entry("a model without nodes", func(_, e *backends.Subject, _ *locate.Options) {
			e.Model = plan{}
		}, "locate: the expected side: nodes can be read only from ONNX models, got net.plan "+
			"(locate_test.plan); use the original ONNX model"),
		Entry("no engine", func(_, e *backends.Subject, _ *locate.Options) { e.Engine = nil },
			"locate: the expected side: the run was read from a file and has no engine that could "+
				"repeat it; run the model in the spec instead"),
		Entry("no inputs", func(a, _ *backends.Subject, _ *locate.Options) {
			a.Inputs = fixtures.Inputs{}
		}, "locate: the actual side: the inputs have no iterations"),
		Entry("inputs that differ when they are drawn again",
			func(a, _ *backends.Subject, _ *locate.Options) { a.InputsSHA256 = "0123456789abcdef" },
			"locate: the actual side: the inputs (random, seed 1"),
		Entry("inputs of the other side that differ",
			func(_, e *backends.Subject, _ *locate.Options) { e.InputsSHA256 = "0123456789abcdef" },
			"0123456789ab on the expected side; run both on the same inputs"),
		Entry("no check", func(_, _ *backends.Subject, o *locate.Options) { o.Compare.Checks = nil },
			"locate: Options.Compare has no checks"),
		Entry("negative memory", func(_, _ *backends.Subject, o *locate.Options) { o.Memory = -1 },
			"locate: Options.Memory is -1"),
		Entry("an engine that fails", func(a, _ *backends.Subject, _ *locate.Options) {
			*a = by(*a, func(context.Context, *loaders.Model, fixtures.Inputs) (
				backends.Backend, error) {
				return nil, errors.New("no GPU")
			})
		}, "locate: a in fake Opens(a function): no GPU"),
		Entry("random numbers that change the outputs", func(a, _ *backends.Subject, _ *locate.Options) {
			g := network(1)
			for i, n := range g.Nodes {
				if n.Op == "MatMul" {
					g.Nodes[i].In[0] = "drawn"
				}
			}
			g.Nodes = slices.Insert(g.Nodes, 0, onnxtest.Node{Op: "RandomNormalLike", Name: "draw",
				In: []string{"x"}, Out: []string{"drawn"}})
			*a = side("a", g)
		}, `locate: the model draws random numbers: output "y" differs between two runs in onnxruntime`),
		Entry("a Dropout in training mode, which the optimiser removes unless its result is an output",
			func(a, _ *backends.Subject, _ *locate.Options) {
				g := network(1)
				g.Nodes[0].In[0] = "kept"
				g.Nodes = slices.Insert(g.Nodes, 0, onnxtest.Node{Op: "Dropout", Name: "drop",
					In: []string{"x", "ratio", "training"}, Out: []string{"kept"}})
				g.Nodes[2].Op = "Sub" // the fault
				g.Initializers = append(g.Initializers,
					onnxtest.Tensor{Name: "ratio", Type: 1, Raw: onnxtest.Float32s(0.5)},
					onnxtest.Tensor{Name: "training", Type: 9, Raw: []byte{1}})
				*a = side("a", g)
				a.Engine = ort.Engine()
			}, `locate: the model draws random numbers: output "kept" differs between two runs`),
		Entry("an engine that cannot fit its options to parts",
			func(a, _ *backends.Subject, _ *locate.Options) { a.Engine = fitted{a.Engine, &fitting{}} },
			"locate: the actual side: a in fitted: there is no room for timings"),
	)
})

// plan declares inputs and shows no nodes.
type plan struct{ fixtures.Declaration }

func (plan) Name() string { return "net.plan" }

// plainNames returns the outputs of a part under their names in the whole model.
func plainNames(outputs []loaders.Value) []loaders.Value {
	for i := range outputs {
		outputs[i].Name = strings.TrimSuffix(outputs[i].Name, loaders.CutSuffix)
	}
	return outputs
}
