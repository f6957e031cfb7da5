package engineflags_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// given sets the flags of a command line.
func given(line string) (*engineflags.Flags, error) {
	var f engineflags.Flags
	err := flagtest.Set(f.List(), line)
	return &f, err
}

// engines is the Go source of the engines that a command line names, in order.
func engines(line string) (sources []string, err error) {
	f, err := given(line)
	if err != nil {
		return nil, err
	}
	for _, runner := range f.Given() {
		s, err := f.Subject(runner, loaders.ONNX("net.onnx"), fixtures.Inputs{},
			map[string]tensor.Shape{"x": {1, 2}})
		if err != nil {
			return nil, err
		}
		sources = append(sources, s.Engine.GoString())
	}
	return sources, nil
}

var _ = Describe("flags of engines", func() {
	DescribeTable("become engines with their options", func(line string, want ...string) {
		Expect(engines(line)).To(Equal(want))
	},
		Entry("each in its order", "--tract --onnxrt --openvino --tract", "tract.Engine()",
			"ort.Engine()", "openvino.Engine()", "tract.Engine()"),
		Entry("ONNX Runtime's", "--onnxrt --graph-optimization-level basic --onnxrt-threads 4 "+
			"--providers cuda cpu --provider-options cuda:use_tf32=1",
			`ort.Engine(ort.OptimizationLevel(ort.OptimizeBasic), `+
				`ort.ProviderOption("cuda", "use_tf32", "1"), ort.Providers("cuda", "cpu"), `+
				`ort.Threads(4))`),
		Entry("the accuracy of products by weights of few bits",
			"--onnxrt --onnxrt-accuracy-level int8",
			"ort.Engine(ort.AccuracyLevel(ort.AccuracyInt8))"),
		Entry("entries of ONNX Runtime's configuration",
			"--onnxrt --onnxrt-config optimization.disable_specified_optimizers=A;B a=b=c",
			`ort.Engine(ort.Config("a", "b=c"), `+
				`ort.Config("optimization.disable_specified_optimizers", "A;B"))`),
		Entry("ONNX Runtime's own name of a level",
			"--onnxrt --graph-optimization-level ORT_DISABLE_ALL",
			"ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))"),
		Entry("ONNX Runtime's name of the level for layouts",
			"--onnxrt --graph-optimization-level ort_enable_layout",
			"ort.Engine(ort.OptimizationLevel(ort.OptimizeLayout))"),
		Entry("the beginning of a provider's name", "--onnxrt --providers tensorrtexec CUDA CPUExec",
			`ort.Engine(ort.Providers("tensorrt", "cuda", "cpu"))`),
		Entry("libraries of custom operators", "--onnxrt --custom-ops b.so a.so",
			`ort.Engine(ort.CustomOps("b.so"), ort.CustomOps("a.so"))`),
		Entry("a plug-in with options", "--onnxrt --plugin-ep a.so k=v l= --providers cpu",
			`ort.Engine(ort.PluginEP("a.so", ort.PluginOption("k", "v"), ort.PluginOption("l", "")), `+
				`ort.Providers("cpu"))`),
		Entry("OpenVINO's", "--openvino --openvino-precision bfloat16 --openvino-execution-mode "+
			"performance --openvino-threads 0 --openvino-static-shapes --openvino-property A=1 B=c=d",
			`openvino.Engine(openvino.ExecutionMode(openvino.Performance), `+
				`openvino.Precision(openvino.BFloat16), openvino.Property("A", "1"), `+
				`openvino.Property("B", "c=d"), openvino.StaticShapes(), openvino.Threads(0))`),
		Entry("OpenVINO's device and library", "--openvino --openvino-device GPU.1 "+
			"--openvino-library /lib/libopenvino_c.so",
			`openvino.Engine(openvino.Device("GPU.1"), openvino.Library("/lib/libopenvino_c.so"))`),
		Entry("tract's", "--tract --tract-fp16 --tract-library /lib/tract.so",
			`tract.Engine(tract.FP16(), tract.Library("/lib/tract.so"))`),
		Entry("TensorRT's, with the shapes of the inputs", "--trt --fp16 --trt-max-shapes x:[4,2]",
			`trt.Engine(trt.FP16(), trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{4, 2})))`),
		Entry("GenAI's", "--genai --genai-threads 2 --genai-overlay {} --genai-library /lib/g.so",
			`genai.Engine(genai.Library("/lib/g.so"), genai.Overlay("{}"), genai.Threads(2))`),
		Entry("flags of all engines", "--warm-up 2 --onnxrt --openvino --tract --trt",
			"ort.Engine(ort.WarmUp(2))",
			"openvino.Engine(openvino.WarmUp(2))", "tract.Engine(tract.WarmUp(2))",
			"trt.Engine(trt.WarmUp(2))"),
		Entry("those that say what is so anyway", "--onnxrt --fp32 --sequential-runners", "ort.Engine()"),
	)

	It("let the engines that have a log write it", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		f, err := given("--onnxrt --trt")
		Expect(err).NotTo(HaveOccurred())
		for verbose, says := range map[bool]string{false: "info", true: "verbose"} {
			log := gbytes.NewBuffer()
			f.Log(log, verbose)
			model := loaders.ONNX("../../../backends/ort/testdata/identity_float.onnx")
			inputs := fixtures.Random(model, fixtures.Shape("x", 1))
			s, err := f.Subject("--onnxrt", model, inputs, nil)
			Expect(err).NotTo(HaveOccurred())
			_, err = backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
			Expect(err).NotTo(HaveOccurred())
			Expect(log).To(gbytes.Say(`\[ONNX Runtime ` + says + `\] `))
			s, err = f.Subject("--trt", model, inputs, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(s.Engine.GoString()).To(Equal("trt.Engine(/* left out: trt.Log(a writer) */)"))
			plan, err := f.Subject("--trt", trt.Plan("net.plan"), inputs, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(plan.Engine.GoString()).To(ContainSubstring("left out: trt.Log(a writer)"))
		}
	})

	It("let engines in processes of their own write it too", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		f, err := given("--onnxrt --use-subprocess")
		Expect(err).NotTo(HaveOccurred())
		model := loaders.ONNX("../../../backends/ort/testdata/identity_float.onnx")
		for verbose, says := range map[bool]string{false: "info", true: "verbose"} {
			log := gbytes.NewBuffer()
			f.Log(log, verbose)
			s, err := f.Subject("--onnxrt", model, fixtures.Random(model, fixtures.Shape("x", 1)), nil)
			Expect(err).NotTo(HaveOccurred())
			_, err = backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
			Expect(err).NotTo(HaveOccurred())
			Expect(log).To(gbytes.Say(`\[ONNX Runtime ` + says + `\] `))
		}
	})

	It("name what ran as Polygraphy does", func() {
		f, err := given("--onnxrt --openvino --onnxrt")
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{f.RunnerName(0), f.RunnerName(1), f.RunnerName(2)}).To(Equal(
			[]string{"onnxrt-runner-N0", "openvino-runner-N0", "onnxrt-runner-N1"}))
	})

	DescribeTable("say what to write", func(line, says string) {
		_, err := engines(line)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("an unknown flag", "--frobnicate", "unknown flag --frobnicate"),
		Entry("an unknown one of the expected side", "--expected-warm-up 1",
			"unknown flag --expected-warm-up"),
		Entry("a missing word", "--openvino-precision", "--openvino-precision needs a value"),
		Entry("a switch with a word", "--tract-fp16=yes", "--tract-fp16 takes no value"),
		Entry("no words at all", "--providers", "--providers needs a value"),
		Entry("a level", "--graph-optimization-level most",
			`unknown value "most": want none, basic, extended, layout, all`),
		Entry("a precision", "--openvino-precision fp8",
			`unknown value "fp8": want float32, bfloat16, float16, own`),
		Entry("a precision of the expected side", "--expected-openvino-precision fp8",
			`unknown value "fp8"`),
		Entry("a mode", "--openvino-execution-mode fast", "want accuracy, performance"),
		Entry("a number of threads", "--openvino-threads -1", `"-1" is not a whole number of at least 0`),
		Entry("an entry of the configuration", "--onnxrt-config fast",
			"is not KEY=VALUE, such as session.set_denormal"),
		Entry("a property", "--openvino-property fast", "is not KEY=VALUE, such as NUM_STREAMS=2"),
		Entry("an option of a provider", "--provider-options cuda:x",
			"is not PROVIDER:KEY=VALUE, such as cuda:use_tf32=1"),
		Entry("a network's script", "--model-type trt-network-script",
			"export the model to ONNX"),
		Entry("float32 by TensorRT's provider", "--onnxrt --fp32 --providers trt",
			"--fp32 has no effect"),
	)

	DescribeTable("are refused where they would do nothing", func(line, says string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		if says == "" {
			Expect(f.Check("--onnxrt")).To(Succeed())
			return
		}
		Expect(f.Check("--onnxrt")).To(MatchError(ContainSubstring(says)))
	},
		Entry("none", "", ""),
		Entry("another engine's", "--onnxrt --openvino-precision own",
			"--openvino-precision has no effect without --openvino; add it, or drop --openvino-precision"),
		Entry("a flag of the default engine", "--providers cpu", ""),
		Entry("ONNX Runtime's with tract", "--tract --providers cpu",
			"--providers has no effect without --onnxrt"),
		Entry("the expected side's", "--onnxrt --expected-tract-fp16",
			"--expected-tract-fp16 has no effect without --tract"),
		Entry("TensorRT's", "--onnxrt --fp16", "--fp16 is a flag of TensorRT; add --trt"),
		Entry("one that two engines of three read", "--onnxrt --openvino --tract --tract-fp16", ""),
	)

	DescribeTable("make two sides", func(line string, files []string, actual, expected string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		a, e, err := f.Sides(files, &inputflags.Flags{})
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{a.Engine.GoString(), e.Engine.GoString()}).To(Equal([]string{actual, expected}))
		Expect(a.Model.Name()).To(Equal(files[0]))
		Expect(e.Model.Name()).To(Equal(files[len(files)-1]))
		if len(files) == 1 {
			Expect(a.Model).To(BeIdenticalTo(e.Model))
		} else {
			Expect(a.Model).NotTo(BeIdenticalTo(e.Model))
		}
	},
		Entry("of two models", "", []string{"a.onnx", "b.onnx"}, "ort.Engine()", "ort.Engine()"),
		Entry("of two models in one engine", "--openvino", []string{"a.onnx", "b.onnx"},
			"openvino.Engine()", "openvino.Engine()"),
		Entry("of two engines", "--tract --tract-fp16 --onnxrt", []string{"a.onnx"},
			"tract.Engine(tract.FP16())", "ort.Engine()"),
		Entry("of two sets of options",
			"--openvino --openvino-threads 2 --expected-openvino-precision own",
			[]string{"a.onnx"}, "openvino.Engine(openvino.Threads(2))",
			"openvino.Engine(openvino.Precision(openvino.Own), openvino.Threads(2))"),
		Entry("whose operators are their own", "--custom-ops a.so --expected-custom-ops b.so c.so",
			[]string{"a.onnx"}, `ort.Engine(ort.CustomOps("a.so"))`,
			`ort.Engine(ort.CustomOps("b.so"), ort.CustomOps("c.so"))`),
		Entry("of operators on one side", "--expected-custom-ops b.so", []string{"a.onnx"},
			"ort.Engine()", `ort.Engine(ort.CustomOps("b.so"))`),
		Entry("whose plug-ins are their own", "--plugin-ep a.so --expected-plugin-ep b.so",
			[]string{"a.onnx"}, `ort.Engine(ort.PluginEP("a.so"))`, `ort.Engine(ort.PluginEP("b.so"))`),
		Entry("of a plug-in and the CPU", "--plugin-ep webgpu --expected-providers cpu",
			[]string{"a.onnx"}, `ort.Engine(ort.PluginEP("webgpu"))`, "ort.Engine()"),
		Entry("whose providers are their own", "--providers cuda --provider-options cuda:device_id=0 "+
			"--expected-providers cpu", []string{"a.onnx"},
			`ort.Engine(ort.ProviderOption("cuda", "device_id", "0"), ort.Providers("cuda"))`,
			"ort.Engine()"),
	)

	DescribeTable("make no two sides", func(line string, files []string, says string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		_, _, err = f.Sides(files, &inputflags.Flags{})
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("of nothing", "", nil, "the command takes one model, or ACTUAL and EXPECTED, got 0"),
		Entry("of one model in one engine", "--tract", []string{"a.onnx"},
			"both sides are the same model in the same engine"),
		Entry("of three engines", "--tract --tract --tract", []string{"a.onnx"},
			"compares two runners, got 3"),
		Entry("of flags that do nothing", "--fp16", []string{"a.onnx", "b.onnx"}, "add --trt"),
		Entry("of a plan without TensorRT", "", []string{"a.plan", "b.onnx"}, "run it with --trt"),
		Entry("of an IR without OpenVINO", "--openvino --tract", []string{"a.xml"},
			"--tract runs ONNX models, got a.xml, OpenVINO's IR, which only OpenVINO runs; run it with "+
				"--openvino"),
	)

	It("name the one engine that runs, and ONNX Runtime where none is named", func() {
		for line, want := range map[string]string{"": "ort.Engine()", "--tract": "tract.Engine()"} {
			f, err := given(line)
			Expect(err).NotTo(HaveOccurred())
			s, err := f.Only([]string{"net.onnx"}, &inputflags.Flags{})
			Expect(err).NotTo(HaveOccurred())
			Expect(s.Engine.GoString()).To(Equal(want))
		}
		f, err := given("--tract --onnxrt")
		Expect(err).NotTo(HaveOccurred())
		_, err = f.Only([]string{"net.onnx"}, &inputflags.Flags{})
		Expect(err).To(MatchError("the command takes one engine, got 2: --tract --onnxrt"))
	})

	It("know an engine that is built by its name or by its type", func() {
		var f engineflags.Flags
		Expect(f.IsEngine("a.PLAN")).To(BeTrue())
		Expect(f.IsEngine("a.onnx")).To(BeFalse())
		Expect(f.Set("--model-type", "engine")).To(Succeed())
		Expect(f.IsEngine("a.onnx")).To(BeTrue())
		model, err := f.Model("a.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(model).To(BeAssignableToTypeOf(trt.Plan("")))
	})
})

var _ = Describe("an engine with settings", func() {
	// with is the engine of a flag with settings.
	with := func(flag string, words ...string) (backends.Engine, error) {
		for _, e := range engineflags.Engines() {
			if e.Flag == flag {
				return e.With(words...)
			}
		}
		Fail("no engine " + flag)
		return nil, nil
	}

	DescribeTable("equals the corresponding flags", func(want backends.Engine, flag string,
		words ...string) {
		Expect(with(flag, words...)).To(Equal(want))
	},
		Entry(nil, ort.Engine(), "--onnxrt"),
		Entry(nil, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(2),
			ort.Providers("cuda", "cpu")), "--onnxrt", "level=none", "threads=2", "providers=cuda+cpu"),
		Entry(nil, openvino.Engine(openvino.Precision(openvino.Own), openvino.Threads(2),
			openvino.Device("CPU"), openvino.ExecutionMode(openvino.Performance), openvino.StaticShapes()),
			"--openvino", "precision=own", "threads=2", "device=CPU", "mode=performance", "static-shapes"),
		Entry(nil, tract.Engine(tract.FP16()), "--tract", "fp16"),
		Entry(nil, trt.Engine(), "--trt"),
		Entry(nil, trt.Engine(trt.FP16(), trt.OptimizationLevel(2)), "--trt", "fp16", "level=2"),
	)

	It("says what may be set", func() {
		_, err := with("--tract", "fast")
		Expect(err).To(MatchError(`unknown option "fast"; use fp16`))
		_, err = with("--onnxrt", "threads")
		Expect(err).To(MatchError(ContainSubstring("use level=LEVEL or threads=N or providers=P+Q")))
		_, err = with("--openvino", "threads=many")
		Expect(err).To(MatchError(ContainSubstring(`"many" is not a whole number`)))
		for _, e := range engineflags.Engines() {
			Expect(e.Usage()).NotTo(BeEmpty(), e.Flag)
		}
	})

	It("is every one that this machine has, if they are enough", func() {
		found, err := engineflags.Available(0)
		Expect(err).NotTo(HaveOccurred())
		var have, want, titles, missing []string
		for _, e := range found {
			have = append(have, e.GoString())
		}
		for _, engine := range []struct {
			title, source string
			err           error
		}{
			{"ONNX Runtime", "ort.Engine()", ort.Available()},
			{"OpenVINO", "openvino.Engine()", openvino.Available()},
			{"tract", "tract.Engine()", tract.Available()},
			{"TensorRT", "trt.Engine()", trt.Available()},
		} {
			if enginetest.Has(strings.ToLower(engine.title), engine.err) {
				want, titles = append(want, engine.source), append(titles, engine.title)
			} else {
				missing = append(missing, engine.title)
			}
		}
		if titles == nil {
			titles = []string{"none"}
		}
		Expect(have).To(Equal(want))
		_, err = engineflags.Available(9)
		Expect(err).To(MatchError("a vote needs at least 9 engines, and this machine has " +
			strings.Join(titles, ", ") + ": `modelparity setup --all` downloads engines, " +
			"and `modelparity doctor` says what is wrong with " + strings.Join(missing, ", ")))
	})
})
