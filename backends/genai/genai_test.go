package genai_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
		Expect(err).To(MatchError(ContainSubstring("ONNX Runtime GenAI keeps its own caches")))
		_, err = decode.Run(ctx, genai.Engine(), exported("llama"), texts(), decode.From(7))
		Expect(err).To(MatchError(ContainSubstring("sequence 0: token 0 has position 7, but " +
			"ONNX Runtime GenAI counts 0")))
	})
})

var _ = Describe("A configuration of ONNX Runtime GenAI", func() {
	BeforeEach(func() { genai.Require(GinkgoT()) })

	// nextTo copies the Llama into a folder with a configuration.
	nextTo := func(config string) *loaders.Model {
		GinkgoHelper()
		folder := GinkgoT().TempDir()
		data, err := os.ReadFile(exported("llama").Path())
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(folder, "own.onnx"), data, 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "genai_config.json"), []byte(config), 0o600)).To(
			Succeed())
		return loaders.ONNX(filepath.Join(folder, "own.onnx"))
	}
	const own = `{"model": {"type": "llama", "context_length": 6, "vocab_size": 60,
		"pad_token_id": 0, "eos_token_id": [1, 2], "bos_token_id": 1, "decoder": {
		"filename": "own.onnx", "head_size": 16, "hidden_size": 64, "num_attention_heads": 4,
		"num_key_value_heads": 2, "num_hidden_layers": 2, "session_options": {"provider_options": []}}},
		"search": {"max_length": 6, "past_present_share_buffer": false}}`
	tokens := decode.Tokens([]int64{5, 17, 3, 42, 9, 11, 2, 30})

	It("is used if it is next to the model", func(ctx SpecContext) {
		short := decode.Tokens([]int64{5, 17, 3, 42})
		Expect(decode.Run(ctx, genai.Engine(), nextTo(own), short)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), short)))
		_, err := decode.Run(ctx, genai.Engine(), nextTo(own), tokens)
		Expect(err).To(MatchError(And(ContainSubstring("step 6, from token 6: own.onnx: "),
			ContainSubstring("exceeds max length (6)"), ContainSubstring("genai.Overlay"))))
		longer := genai.Overlay(`{"model": {"context_length": 64}, "search": {"max_length": 64}}`)
		Expect(decode.Run(ctx, genai.Engine(longer), nextTo(own), tokens)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), tokens)))
	})

	It("of another model is not used", func(ctx SpecContext) {
		Expect(decode.Run(ctx, genai.Engine(), nextTo(strings.Replace(own, "own.onnx", "else.onnx", 1)),
			tokens)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
			Of(decode.Run(ctx, ort.Engine(), exported("llama"), tokens)))
	})

	It("that is wrong is named", func(ctx SpecContext) {
		for config, said := range map[string]string{
			`{"model": `: "own.onnx: genai_config.json: unexpected end of JSON input",
			`{"model": {"decoder": {"filename": 3}}}`: `own.onnx: genai_config.json: ` +
				`"model.decoder.filename": expected a name`,
			strings.Replace(own, `"head_size": 16`, `"head_size": "x"`, 1): "own.onnx: ",
			strings.Replace(own, `"vocab_size": 60`, `"vocab_size": 61`, 1): "step 0, from token 0: " +
				"own.onnx: ",
		} {
			_, err := decode.Run(ctx, genai.Engine(), nextTo(config), tokens)
			Expect(err).To(MatchError(ContainSubstring(said)))
			Expect(err.Error()).NotTo(ContainSubstring("\n"))
		}
	})

	// added is own with further keys of session_options.
	added := func(session string) string {
		return strings.Replace(own, `"provider_options": []`, session, 1)
	}

	It("may say that nothing else is computed, sampled or logged", func(ctx SpecContext) {
		short := decode.Tokens([]int64{5, 17, 3, 42})
		config := strings.NewReplacer(`"provider_options": []`, `"provider_options": [],
			"log_id": "onnxruntime-genai", "intra_op_num_threads": 1`, `"max_length": 6`,
			`"max_length": 6, "do_sample": true, "num_beams": 4, "top_k": 50, "top_p": 1.0`).Replace(own)
		Expect(decode.Run(ctx, genai.Engine(), nextTo(config), short)).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).
				Of(decode.Run(ctx, ort.Engine(), exported("llama"), short)))
	})

	It("may belong to a model with external data", func(ctx SpecContext) {
		model := nextTo(own)
		data := must(os.ReadFile(model.Path()))
		must(loaders.ONNXBytes("own.onnx", data).SaveExternal(model.Path(),
			loaders.External{File: "own.data"}))
		short := decode.Tokens([]int64{5, 17, 3, 42})
		for range 2 { // with the configuration, and without
			Expect(decode.Run(ctx, genai.Engine(), model, short)).To(
				MatchOutputsWithin(1e-5, 1e-5, Elementwise).
					Of(decode.Run(ctx, ort.Engine(), exported("llama"), short)))
			_ = os.Remove(filepath.Join(filepath.Dir(model.Path()), "genai_config.json"))
		}
	})

	DescribeTable("loads no code, writes no file and opens no other model",
		func(ctx SpecContext, config, said string) {
			model := nextTo(config)
			folder := filepath.Dir(model.Path())
			compiler := strings.Fields(string(must(exec.Command("go", "env", "CC").Output())))
			build := exec.Command(compiler[0], append(compiler[1:], "-shared", "-fPIC", "-o",
				filepath.Join(folder, "evil.so"), "-x", "c", "-")...)
			build.Stdin = strings.NewReader("#include <stdio.h>\n__attribute__((constructor)) " +
				"static void run(void) { fclose(fopen(\"ran\", \"w\")); }\n")
			Expect(build.Run()).To(Succeed())
			GinkgoT().Chdir(folder)
			before := must(os.ReadDir(folder))
			_, err := decode.Run(ctx, genai.Engine(), model, tokens)
			Expect(err).To(MatchError(ContainSubstring(`genai_config.json: "` + said)))
			Expect(os.ReadDir(folder)).To(HaveLen(len(before)))
		},
		Entry("a library", added(`"custom_ops_library": "evil.so"`),
			`model.decoder.session_options.custom_ops_library"`),
		Entry("a library, its key written by escapes", added(`"custom_ops_l\u0069brary": "evil.so"`),
			`model.decoder.session_options.custom_ops_library"`),
		Entry("a library, its key in capitals", added(`"Custom_Ops_Library": "evil.so"`),
			`model.decoder.session_options.Custom_Ops_Library"`),
		Entry("a profile", added(`"enable_profiling": "profile"`),
			`model.decoder.session_options.enable_profiling"`),
		Entry("a model that is written", added(`"optimized_model_filepath": "o.onnx"`),
			`model.decoder.session_options.optimized_model_filepath"`),
		Entry("an entry of ONNX Runtime's own", added(`"ep.context_file_path": "c.onnx"`),
			`model.decoder.session_options.ep.context_file_path"`),
		Entry("entries in a section", added(`"config_entries": {"ep.context_enable": "1"}`),
			`model.decoder.session_options.config_entries"`),
		Entry("a provider", added(`"provider_options": [{"qnn": {"backend_path": "evil.so"}}]`),
			`model.decoder.session_options.provider_options": expected []`),
		Entry("a second provider_options", added(`"provider_options": [], "provider_options": [{}]`),
			`model.decoder.session_options.provider_options": expected []`),
		Entry("a section that is none", strings.Replace(own, `{"provider_options": []}`, `null`, 1),
			`model.decoder.session_options": expected an object`),
		Entry("run options", strings.Replace(own, `"head_size"`, `"run_options": {}, "head_size"`, 1),
			`model.decoder.run_options"`),
		Entry("a pipeline", strings.Replace(own, `"head_size"`,
			`"pipeline": [{"a": {"filename": "/a.onnx"}}], "head_size"`, 1), `model.decoder.pipeline"`),
		Entry("another model", strings.Replace(own, `"type"`, `"vision": {"filename": "v.onnx"}, "type"`,
			1), `model.vision"`),
		Entry("another kind of model", strings.Replace(own, `"llama"`, `"../llama"`, 1), `model.type"`),
		Entry("another section", strings.Replace(own, `"search"`, `"engine": {}, "search"`, 1),
			`engine"`),
		Entry("a length beyond memory", strings.Replace(own, `"max_length": 6`, `"max_length": 1e12`, 1),
			`search.max_length": expected a whole number from 1 to 16777216`),
		Entry("a key of many lines", strings.Replace(own, `"search"`, `"\n\u001b[2J": 1, "search"`, 1),
			`\n\x1b[2J"`),
	)

	It("gives no pattern to printf but the number of a layer", func(ctx SpecContext) {
		for _, name := range []string{"%s%n", "past.%d.%d", "past.%9999999d", "past.%dkey%"} {
			names := fmt.Sprintf(`"decoder": {"inputs": {"past_key_names": %q},`, name)
			said := fmt.Sprintf("the cache name %q must have one %%d", name)
			_, err := decode.Run(ctx, genai.Engine(), nextTo(strings.Replace(own, `"decoder": {`, names, 1)),
				tokens)
			Expect(err).To(MatchError(ContainSubstring(said)))
			overlay := genai.Overlay(`{"model": {` + strings.TrimSuffix(names, ",") + `}}}`)
			_, err = decode.Run(ctx, genai.Engine(overlay), exported("llama"), tokens)
			Expect(err).To(MatchError(ContainSubstring(said)))
		}
	})

	It("is a regular file", func(ctx SpecContext) {
		model := nextTo(own)
		config := filepath.Join(filepath.Dir(model.Path()), "genai_config.json")
		Expect(os.Remove(config)).To(Succeed())
		Expect(os.Symlink("/dev/zero", config)).To(Succeed())
		_, err := decode.Run(ctx, genai.Engine(), model, tokens)
		Expect(err).To(MatchError(ContainSubstring("genai_config.json: expected a regular file")))
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
			HaveSuffix("write a genai_config.json next to the model, or set the keys with genai.Overlay"))))
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
