package decode_test

import (
	"context"
	"fmt"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// architectures are the decoders exported by transformers, stored with tokens and PyTorch's outputs
// (conformance/field/make/decoders.py).
var architectures = []string{"gpt2", "llama", "t5"}

// exported is a decoder with PyTorch's outputs.
type exported struct {
	model   *loaders.Model
	answers *tensor.Set
}

func exportedAs(name string) exported {
	path := filepath.Join("testdata", name)
	var e exported
	e.model = loaders.ONNX(path + ".onnx")
	for set, err := range fixtures.Load(path + ".npz").All() {
		Expect(err).NotTo(HaveOccurred())
		e.answers = set
	}
	return e
}

// inputs are PyTorch's inputs: the tokens and any encoder states.
func (e exported) inputs() fixtures.Inputs {
	return fixtures.Of(e.answers.Only("input_ids", "encoder_attention_mask", "encoder_hidden_states"))
}

// expected are PyTorch's outputs: the logits and the caches.
func (e exported) expected() *tensor.Set {
	var names []string
	for _, name := range e.answers.Names() {
		if name == "logits" || filepath.Ext(name) != "" {
			names = append(names, name)
		}
	}
	return e.answers.Only(names...)
}

// run decodes in ONNX Runtime.
func (e exported) run(ctx context.Context, options ...decode.Option) *backends.Run {
	GinkgoHelper()
	run, err := decode.Run(ctx, ort.Engine(), e.model, e.inputs(), options...)
	Expect(err).NotTo(HaveOccurred())
	return run
}

var (
	near  = compare.Within(2e-5, 2e-5, compare.Elementwise)
	loose = compare.Within(1e-3, 1e-3, compare.Elementwise)
)

var _ = Describe("Decoders that transformers exported", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, name := range architectures {
		Describe(name, func() {
			It("returns PyTorch's logits and caches for any steps", func(ctx SpecContext) {
				e := exportedAs(name)
				for _, options := range [][]decode.Option{nil, {decode.Whole()}, {decode.Steps(5)},
					{decode.Steps(7, 1)}, {decode.Steps(1, 4)}} {
					run := e.run(ctx, options...)
					Expect(run).To(MatchOutputsWithin(2e-5, 2e-5, Elementwise).
						Under(compare.Options{Except: []string{"tokens"}}).Of(e.expected()), "%v", options)
				}
			})

			It("returns the same token by token as in one step", func(ctx SpecContext) {
				e := exportedAs(name)
				whole := e.run(ctx, decode.Whole())
				Expect(e.run(ctx)).To(MatchOutputs(near).Of(whole))
				Expect(decode.Part(e.run(ctx), whole, near)).To(BeNil())
			})

			It("generates the tokens of the greatest logits",
				func(ctx SpecContext) {
					e := exportedAs(name)
					greedy := e.run(ctx, decode.Greedy(6), decode.Steps(12, 1))
					tokens, _ := greedy.Outputs()[0].Get("tokens")
					Expect(tokens.Shape()).To(Equal(tensor.Shape{2, 18}))
					values, err := tensor.Values[int64](tokens)
					Expect(err).NotTo(HaveOccurred())
					forced := e.more(values, 18)
					again, err := decode.Run(ctx, ort.Engine(), e.model, forced, decode.Whole())
					Expect(err).NotTo(HaveOccurred())
					logits, _ := again.Outputs()[0].Get("logits")
					for row := range 2 {
						for at := 11; at < 17; at++ {
							Expect(argmax(logits, row, at)).To(Equal(values[row*18+at+1]),
								fmt.Sprintf("row %d, token %d", row, at))
						}
					}
				})
		})
	}
})

// more returns the inputs with other tokens.
func (e exported) more(ids []int64, columns int) fixtures.Inputs {
	t, err := tensor.New(tensor.Shape{len(ids) / columns, columns}, ids)
	Expect(err).NotTo(HaveOccurred())
	var entries []tensor.Entry
	for name, of := range e.answers.Only("encoder_attention_mask", "encoder_hidden_states").All() {
		entries = append(entries, tensor.Entry{Name: name, Tensor: of})
	}
	set, err := tensor.NewSet(append(entries, tensor.Entry{Name: "input_ids", Tensor: t})...)
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

// argmax is the token with the greatest logit.
func argmax(logits *tensor.Tensor, row, at int) int64 {
	shape := logits.Shape()
	best := 0
	from := (row*shape[1] + at) * shape[2]
	for i := range shape[2] {
		if logits.Float64At(from+i) > logits.Float64At(from+best) {
			best = i
		}
	}
	return int64(best)
}
