package relations_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// forgetful is an engine that loses a slot of layer 1's key whenever it is fed one token with a
// past of six.
type forgetful struct{ backends.Engine }

func (e forgetful) Text() string { return "forgetful " + e.Engine.Text() }

func (e forgetful) Open(ctx context.Context, m fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	b, err := e.Engine.Open(ctx, m, inputs)
	return forgets{b}, err
}

type forgets struct{ backends.Backend }

func (b forgets) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		past, _ := set.Get("past_key_values.1.key")
		if ids, _ := set.Get("input_ids"); ids.Shape()[1] != 1 || past.Shape()[2] != 6 {
			break
		}
		values, err := tensor.Values[float32](past)
		if err != nil {
			return nil, err
		}
		lost := append([]float32{}, values...)
		clear(lost[4*past.Shape()[3] : 5*past.Shape()[3]]) // slot 4 of the first head
		changed, err := tensor.New(past.Shape(), lost)
		if err != nil {
			return nil, err
		}
		var entries []tensor.Entry
		for name, t := range set.All() {
			if name == "past_key_values.1.key" {
				t = changed
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		if set, err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
		inputs = fixtures.Of(set)
	}
	return b.Backend.Run(ctx, inputs)
}

var _ = Describe("the relation of steps", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	model := loaders.ONNX("../decode/testdata/llama.onnx")
	tokens := decode.Tokens([]int64{5, 17, 3, 42, 8, 1, 30, 2}, []int64{9, 4, 11})

	rules := []any{
		Entry("within a tolerance", BeStepInvariant().Within(1e-4, 1e-4, Elementwise)),
		Entry("within noise", BeStepInvariant()),
	}

	DescribeTable("holds for a healthy decoder", append([]any{func(ctx SpecContext,
		m *RelationMatcher) {
		Expect(decode.Run(ctx, ort.Engine(), model, tokens)).To(m)
	}}, rules...)...)

	DescribeTable("names token, layer and cache of a lost slot", append([]any{func(
		ctx SpecContext, m *RelationMatcher) {
		run, err := decode.Run(ctx, forgetful{ort.Engine()}, model, tokens)
		Expect(err).NotTo(HaveOccurred())
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(And(
			ContainSubstring("all tokens in one step, compared with steps of 1 token"),
			ContainSubstring("first differ at token 4, in layer 1 key, head 0 "+
				`(output "present.1.key", [0,0,4,`)))
	}}, rules...)...)

	It("is only judged for decoders", func(ctx SpecContext) {
		subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: tokens}
		report, err := relations.Check(ctx, subject, relations.Options{}, relations.Steps())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(ContainSubstring("make the run with decode.Run"))
	})
})
