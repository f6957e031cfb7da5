package genai_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// exported is a decoder of decode/testdata.
func exported(name string) *loaders.Model {
	return loaders.ONNX(filepath.Join("../../decode/testdata", name+".onnx"))
}

// texts are two sequences, of which the shorter one is padded.
func texts() fixtures.Inputs {
	return decode.Tokens([]int64{5, 17, 3, 42, 9, 11, 2, 30}, []int64{8, 1, 3})
}

var _ = Describe("Decoders in ONNX Runtime GenAI", func() {
	BeforeEach(func() { genai.Require(GinkgoT()) })

	for _, name := range []string{"llama", "gpt2"} {
		model := exported(name)
		for _, of := range []struct {
			what string
			how  decode.Option
		}{{"Steps(1)", decode.Steps(1)}, {"Whole", decode.Whole()},
			{"Steps(3, 1)", decode.Steps(3, 1)}, {"Greedy(6)", decode.Greedy(6)},
			{"Rollback(4, 2)", decode.Rollback(4, 2)}} {
			how := of.how
			It("give what the model gives: "+name+" "+of.what, func(ctx SpecContext) {
				Expect(decode.Run(ctx, genai.Engine(), model, texts(), how)).To(
					MatchOutputsWithin(1e-5, 1e-5, Elementwise).
						Of(decode.Run(ctx, ort.Engine(), model, texts(), how)))
			})
		}
		It("hold to themselves: "+name, func(ctx SpecContext) {
			Expect(decode.Run(ctx, genai.Engine(), model, texts())).To(BeStepInvariant())
			// The library takes the tokens back itself.
			Expect(decode.Run(ctx, genai.Engine(), model, texts())).To(BeRollbackInvariant())
			Expect(decode.Run(ctx, genai.Engine(), model, texts())).To(BeSequenceInvariant())
		})
	}

	It("keep their caches in the process of an isolated engine", func(ctx SpecContext) {
		apart := isolated.Engine(genai.Engine())
		Expect(decode.Run(ctx, apart, exported("llama"), texts())).To(
			MatchOutputsWithin(0, 0, Elementwise).Of(
				decode.Run(ctx, genai.Engine(), exported("llama"), texts())))
		Expect(decode.Run(ctx, apart, exported("llama"), texts())).To(BeRollbackInvariant())
	})

	It("take padding anywhere, which is not fed", func(ctx SpecContext) {
		ids := must(tensor.New(tensor.Shape{2, 4}, []int64{5, 17, 3, 42, 8, 1, 0, 0}))
		mask := must(tensor.New(tensor.Shape{2, 4}, []int64{1, 1, 1, 1, 1, 1, 0, 0}))
		inputs := fixtures.Of(must(tensor.NewSet(tensor.Entry{Name: "input_ids", Tensor: ids},
			tensor.Entry{Name: "attention_mask", Tensor: mask})))
		Expect(decode.Run(ctx, genai.Engine(), exported("gpt2"), inputs)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("gpt2"), inputs)))
	})

	It("run as one step in Run, with an empty cache", func(ctx SpecContext) {
		model := exported("llama")
		var entries []tensor.Entry
		for _, in := range must(model.Inputs()) {
			t := must(tensor.New(tensor.Shape{1, 5}, []int64{1, 1, 1, 1, 1}))
			switch {
			case strings.HasPrefix(in.Name, "past"):
				t = must(tensor.New(tensor.Shape{1, in.Dims[1].Size, 0, in.Dims[3].Size}, []float32{}))
			case in.Name == "position_ids":
				t = must(tensor.New(tensor.Shape{1, 5}, []int64{0, 1, 2, 3, 4}))
			}
			entries = append(entries, tensor.Entry{Name: in.Name, Tensor: t})
		}
		fed := fixtures.Of(must(tensor.NewSet(entries...)))
		run := must(genai.Run(ctx, model, fed, genai.WarmUp(1)))
		Expect(run).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(ort.Run(ctx, model, fed)))
		Expect(run.Provenance.String()).To(HavePrefix("onnxruntime-genai"))
	})

	It("have a cache for one who drives them so, and say so to others", func(ctx SpecContext) {
		_, err := decode.Run(ctx, genai.Engine(), exported("llama"), texts(), decode.Copying())
		Expect(err).To(MatchError(ContainSubstring(`step 1, from token 1: `)))
		Expect(err).To(MatchError(ContainSubstring(
			"expected an empty tensor: ONNX Runtime GenAI keeps the cache itself")))
		_, err = decode.Run(ctx, genai.Engine(), exported("llama"), texts(), decode.From(7))
		Expect(err).To(MatchError(ContainSubstring("sequence 0: token 0 has position 7, expected 0: " +
			"ONNX Runtime GenAI counts from 0")))
	})
})

var _ = Describe("A configuration of ONNX Runtime GenAI", func() {
	BeforeEach(func() { genai.Require(GinkgoT()) })

	const own = `{"model": {"type": "llama", "context_length": 6, "vocab_size": 60,
		"pad_token_id": 0, "eos_token_id": [1, 2], "bos_token_id": 1, "decoder": {
		"filename": "own.onnx", "head_size": 16, "hidden_size": 64, "num_attention_heads": 4,
		"num_key_value_heads": 2, "num_hidden_layers": 2, "session_options": {"provider_options": []}}},
		"search": {"max_length": 6, "past_present_share_buffer": false}}`
	tokens := decode.Tokens([]int64{5, 17, 3, 42, 9, 11, 2, 30})

	It("is overridden by an overlay, which may be an application's whole file", func(ctx SpecContext) {
		short := decode.Tokens([]int64{5, 17, 3, 42})
		Expect(decode.Run(ctx, genai.Engine(genai.Overlay(own)), exported("llama"), short)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), short)))
		_, err := decode.Run(ctx, genai.Engine(genai.Overlay(own)), exported("llama"), tokens)
		Expect(err).To(MatchError(And(ContainSubstring("step 6, from token 6: llama.onnx: "),
			ContainSubstring("exceeds max length (6)"), ContainSubstring("genai.Overlay"))))
	})

	It("of an overlay that is wrong is an error of one line", func(ctx SpecContext) {
		for _, overlay := range []string{`{"model": {"decoder": {"filename": 3}}}`,
			strings.Replace(own, `"head_size": 16`, `"head_size": "x"`, 1),
			strings.Replace(own, `"vocab_size": 60`, `"vocab_size": 61`, 1)} {
			_, err := decode.Run(ctx, genai.Engine(genai.Overlay(overlay)), exported("llama"), tokens)
			_, said, found := strings.Cut(err.Error(), "llama.onnx: ") // after the overlay itself
			Expect(found).To(BeTrue(), err.Error())
			Expect(said).NotTo(ContainSubstring("\n"))
		}
	})

	It("is never read from a file, which could load code or write files", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		data, err := os.ReadFile(exported("llama").Path())
		Expect(err).NotTo(HaveOccurred())
		model := filepath.Join(folder, "own.onnx")
		Expect(os.WriteFile(model, data, 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "genai_config.json"), []byte(strings.Replace(own,
			`"provider_options": []`, `"custom_ops_library": "evil.so"`, 1)), 0o600)).To(Succeed())
		Expect(decode.Run(ctx, genai.Engine(), loaders.ONNX(model), tokens)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), tokens)))
	})

	It("may be for a model with external data", func(ctx SpecContext) {
		file := filepath.Join(GinkgoT().TempDir(), "own.onnx")
		data := must(os.ReadFile(exported("llama").Path()))
		must(loaders.ONNXBytes("own.onnx", data).SaveExternal(file, loaders.External{File: "own.data"}))
		Expect(decode.Run(ctx, genai.Engine(), loaders.ONNX(file), tokens)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), tokens)))
	})

	It("gives no pattern to printf but the number of a layer", func(ctx SpecContext) {
		for _, name := range []string{"%s%n", "past.%d.%d", "past.%9999999d", "past.%dkey%"} {
			names := fmt.Sprintf(`"decoder": {"inputs": {"past_key_names": %q},`, name)
			said := fmt.Sprintf("the cache name %q must contain %%d once", name)
			overlay := genai.Overlay(`{"model": {` + strings.TrimSuffix(names, ",") + `}}}`)
			_, err := decode.Run(ctx, genai.Engine(overlay), exported("llama"), tokens)
			Expect(err).To(MatchError(ContainSubstring(said)))
		}
	})

	It("leaves nothing in the folder of temporary files", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		GinkgoT().Setenv("TMPDIR", folder)
		must(decode.Run(ctx, genai.Engine(), exported("llama"), tokens))
		Expect(os.ReadDir(folder)).To(BeEmpty())
	})
})

var _ = Describe("A decoder that ONNX Runtime GenAI does not run", func() {
	BeforeEach(func() { genai.Require(GinkgoT()) })

	It("is rejected because of its extra input", func(ctx SpecContext) {
		t5 := loaders.ONNX("../../decode/testdata/t5.onnx")
		b, err := genai.Engine().Open(ctx, t5, fixtures.Inputs{})
		Expect(b).To(BeNil())
		Expect(err).To(MatchError(And(HavePrefix("onnxruntime-genai: t5.onnx: input "),
			HaveSuffix("describe the model with genai.Overlay"))))
	})

	It("is closed, and runs no more", func(ctx SpecContext) {
		b := must(genai.Engine().Open(ctx, exported("llama"), texts()))
		l := must(backends.CapabilitiesOf(genai.Engine()).Loop(b))
		set := first(texts())
		_, err := l.Step(ctx, set, []string{"logits"}, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Close()).To(Succeed())
		Expect(b.Close()).To(Succeed())
		_, err = backends.CapabilitiesOf(genai.Engine()).Loop(b)
		Expect(err).NotTo(HaveOccurred())
		_, err = l.Step(ctx, set, []string{"logits"}, nil)
		Expect(err).To(HaveOccurred())
		Expect(l.Close()).To(Succeed())
		Expect(l.Close()).To(Succeed())
	})

	It("stops when the context ends", func(ctx SpecContext) {
		ending, cancel := context.WithCancel(ctx)
		seen := 0
		_, err := decode.Run(decode.Watch(ending, func(done, _ int) {
			if seen = done; done == 3 {
				cancel()
			}
		}), genai.Engine(), exported("llama"), texts())
		Expect(errors.Is(err, context.Canceled)).To(BeTrue(), "%v", err)
		Expect(seen).To(Equal(3))
	})
})

// first is the first set of inputs.
func first(inputs fixtures.Inputs) *tensor.Set {
	GinkgoHelper()
	for set, err := range inputs.All() {
		Expect(err).NotTo(HaveOccurred())
		return set
	}
	Fail("no inputs")
	return nil
}

func must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}
