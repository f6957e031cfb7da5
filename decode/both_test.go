package decode_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// both is a model with an encoder and a decoder. Its inputs input_ids and attention_mask belong to
// the encoder; the decoder is a [toy].
type both struct {
	*toy
	text []*tensor.Set // what the encoder received at each step
}

var decoderNames = map[string]string{"decoder_input_ids": "input_ids",
	"decoder_attention_mask": "attention_mask"}

func (b *both) Inputs() ([]loaders.Value, error) {
	inputs := []loaders.Value{value("input_ids", tensor.Int64, -1, -1),
		value("attention_mask", tensor.Int64, -1, -1)}
	for _, v := range b.inputs {
		for of, is := range decoderNames {
			if v.Name == is {
				v.Name = of
				break
			}
		}
		inputs = append(inputs, v)
	}
	return inputs, nil
}

func (b *both) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (
	backends.Backend, error) {
	return b, nil
}

func (b *both) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.Collect(ctx, backends.Provenance{Backend: "both"}, backends.Subject{Engine: b},
		inputs, func(ctx context.Context, set *tensor.Set) (*tensor.Set, error) {
			b.text = append(b.text, set.Only("input_ids", "attention_mask"))
			var decoder []tensor.Entry
			for name, t := range set.All() {
				switch is := decoderNames[name]; {
				case is != "":
					decoder = append(decoder, tensor.Entry{Name: is, Tensor: t})
				case name != "input_ids" && name != "attention_mask":
					decoder = append(decoder, tensor.Entry{Name: name, Tensor: t})
				}
			}
			fed, err := tensor.NewSet(decoder...)
			if err != nil {
				return nil, err
			}
			return b.infer(ctx, fed)
		})
}

var _ = Describe("A model with an encoder and a decoder", func() {
	text := tensor.Entry{Name: "input_ids", Tensor: must(tensor.New(tensor.Shape{1, 3},
		[]int64{7, 8, 9}))}
	seen := tensor.Entry{Name: "attention_mask", Tensor: must(tensor.New(tensor.Shape{1, 3},
		[]int64{1, 1, 0}))}
	tokens := tensor.Entry{Name: "decoder_input_ids", Tensor: must(tensor.New(tensor.Shape{1, 5},
		[]int64{3, 1, 4, 1, 5}))}

	DescribeTable("decodes the decoder's tokens, and passes the encoder's on at every step",
		func(ctx SpecContext, given ...tensor.Entry) {
			b := &both{toy: usual()}
			run, err := backends.RunIn(ctx, decode.Engine(b), b, fixtures.Of(must(tensor.NewSet(given...))))
			Expect(err).NotTo(HaveOccurred())
			Expect(floats(run, "logits")).To(Equal(floats(driven(ctx, usual()), "logits")[:5*toyWords]))
			Expect(b.text).To(HaveLen(5))
			for _, step := range b.text {
				for _, e := range []tensor.Entry{text, seen} {
					t, _ := step.Get(e.Name)
					Expect(t.Float64s()).To(Equal(e.Tensor.Float64s()), e.Name)
				}
			}
		},
		Entry("if these come first", text, seen, tokens),
		Entry("if these come last", tokens, text, seen))
})
