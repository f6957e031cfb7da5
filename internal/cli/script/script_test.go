package script_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/cli/script"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/runs"
)

func TestScript(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "script")
}

// spec is a spec of flags of inputs and of a comparison.
func spec(file, inputs, rule string) script.Spec {
	GinkgoHelper()
	var in inputflags.Flags
	var c compareflags.Flags
	Expect(flagtest.Set(in.List(), inputs)).To(Succeed())
	Expect(flagtest.Set(append(c.List(), c.NoiseFlags(true)...), rule)).To(Succeed())
	options, err := c.Options(context.Background())
	Expect(err).NotTo(HaveOccurred())
	model := filepath.Join(filepath.Dir(file), "net.onnx")
	return script.Spec{File: file, Path: model, Model: loaders.ONNX(model), Named: []string{model},
		Engines: []backends.Engine{ort.Engine(), ort.Engine(ort.Threads(2))}, Inputs: in.Code,
		Rule: options, Noise: c.Noise()}
}

var _ = Describe("A spec that is written", func() {
	DescribeTable("says what the flags say", func(inputs, rule string, says ...string) {
		text, err := spec("a/deep net_test.go", inputs, rule).Source()
		Expect(err).NotTo(HaveOccurred())
		one := strings.Join(strings.Fields(string(text)), " ")
		for _, want := range append(says, "package deepnet_test", "func TestDeep_net(",
			`loaders.ONNX("net.onnx")`, "ort.Engine(ort.Threads(2)),") {
			Expect(one).To(ContainSubstring(want))
		}
	},
		Entry("nothing", "", "", "fixtures.Random(model)",
			"expect(all[0]).To(MatchOutputsWithin(1e-05, 1e-05, Elementwise). Of(all[1]))"),
		Entry("random inputs", "--seed 3 --iterations 2 --val-range [0,9] x:[-1,1] --input-shapes "+
			"x:[2,3] y:[]", "",
			`fixtures.Random(model, fixtures.Seed(3), fixtures.Iterations(2), fixtures.ValRange(0, 9), `+
				`fixtures.ValRangeFor("x", -1, 1), fixtures.Shape("x", 2, 3), fixtures.Shape("y"))`),
		Entry("several shapes", "--input-shapes x:[2,3] x:[4,3]", "",
			`fixtures.Shapes("x", tensor.Shape{2, 3}, tensor.Shape{4, 3})`, `modelparity/tensor"`),
		Entry("saved inputs, from the spec's own folder", "--load-inputs a/i.json b/j.npz --cast-inputs",
			"", `fixtures.LoadFor(model, "i.json", "../b/j.npz").Cast(model)`),
		Entry("tolerances", "", "--atol 1e-3 y:1 --check-error-stat max median",
			"MatchOutputsWithin(0.001, 1e-05, Max). With(compare.Within(0.001, 1e-05, Median)).",
			`ForOutputWith("y", compare.Within(1, 1e-05, Max), compare.Within(1, 1e-05, Median))`),
		Entry("a quantile", "", "--check-error-stat quantile --error-quantile 0.9",
			"MatchOutputsWithin(1e-05, 1e-05, Quantile(0.9))"),
		Entry("other rules", "", "--compare l2 cosine_similarity psnr snr ulp indices kl norm_relative "+
			"allclose defaults", "MatchOutputs(compare.L2(1e-05), compare.CosineSimilarity(0.997), "+
			"compare.PSNR(30), compare.SNR(20), compare.ULP(1), compare.Indices(0), compare.KL(1e-06), "+
			"compare.NormRelative(1e-05), compare.WithinSum(1e-05, 1e-05), compare.Defaults())"),
		Entry("switches", "", "--nans-compare-equal --infinities-compare-equal --no-type-check "+
			"--no-shape-check --fail-fast --validate --allow-empty --only a b --except c --postprocess "+
			"a:top-3,axis=1 --output-names a:b by-position",
			`Only: []string{"a", "b"}, Except: []string{"c"}`,
			`Names: map[string]string{"a": "b"}, ByPosition: true`,
			"NaNEqual: true, InfinitiesEqual: true, AnyElementType: true, AnyShape: true, FailFast: true, "+
				"Finite: true, AllowEmpty: true, "+
				`TopK: map[string]compare.TopK{"a": compare.TopK{K: 3, Axis: 1}}})`),
		Entry("noise", "", "--noise", "MatchWithinNoise()"),
	)

	It("holds a single run to a saved one, or to being finite", func() {
		s := spec("net_test.go", "", "")
		s.Engines, s.Saved = s.Engines[:1], []string{"x/golden.json"}
		text, err := s.Source()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(`OfFile("x/golden.json"))`))
		s.Saved = nil
		text, err = s.Source()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring("expect(all[0]).To(BeFinite())"))
	})

	It("leaves nothing out silently", func() {
		s := spec("net_test.go", "", "--allow-mismatch 0.1")
		_, err := s.Source()
		Expect(err).To(MatchError(ContainSubstring("cannot be written as Go source")))
		s = spec("net.go", "", "")
		_, err = s.Source()
		Expect(err).To(MatchError(ContainSubstring("end in _test.go")))
	})

	// lines returns the source without line breaks and indentation.
	lines := func(s script.Spec) string {
		GinkgoHelper()
		text, err := s.Source()
		Expect(err).NotTo(HaveOccurred())
		return strings.Join(strings.Fields(string(text)), " ")
	}

	It("marks tensors, and keeps the chosen outputs", func() {
		s := spec("net_test.go", "", "")
		s.Marks = loaders.Selection{Names: []string{"h*"}, Ops: []string{"Conv"}}
		Expect(lines(s)).To(And(
			ContainSubstring(`model, wanted, err := loaders.ONNX("net.onnx").Marked(loaders.Selection{`+
				`Names: []string{"h*"}, Ops: []string{"Conv"}}) expect(err).NotTo(HaveOccurred())`),
			ContainSubstring(`run, err = run.Only(wanted...) expect(err).NotTo(HaveOccurred())`)))
	})

	It("compares saved runs alone, and with several runs of a file", func() {
		s := spec("deep/net_test.go", "", "")
		s.Saved, s.Several = []string{"a.json", "b.json#0"}, true
		loop := `saved, err := runs.ReadAll(t.Context(), []string{"../a.json", "../b.json#0"}) ` +
			`expect(err).NotTo(HaveOccurred()) for _, s := range saved { all = append(all, s.Run) } ` +
			`for i := range len(all) - 1 { expect(all[i]).To(MatchOutputsWithin(1e-05, 1e-05, ` +
			`Elementwise). Of(all[i+1])) }`
		Expect(lines(s)).To(And(ContainSubstring("ort.Engine()"), ContainSubstring(loop)))
		s.Engines, s.Model, s.Inputs = nil, nil, nil
		Expect(lines(s)).To(And(ContainSubstring(loop), Not(ContainSubstring("loaders")),
			Not(ContainSubstring("fixtures"))))
	})

	It("runs ready engines, and names files from its own folder", func() {
		s := spec("deep/net_test.go", "", "")
		engine := trt.Plan("net.plan", trt.Plugins("p.so"))
		s.Model, s.Path, s.Named = engine, "net.plan", []string{"net.plan", "p.so"}
		s.Engines = []backends.Engine{engine, isolated.Engine(engine)}
		Expect(lines(s)).To(And(
			ContainSubstring(`model := trt.Plan("../net.plan", trt.Plugins("../p.so"))`),
			ContainSubstring(`{ model, isolated.Engine(trt.Plan("../net.plan", trt.Plugins("../p.so"))), }`),
			ContainSubstring(`modelparity/backends/isolated" "`), Not(ContainSubstring(`/ort"`))))
		s.Model, s.Path = openvino.File("net.xml"), "net.xml"
		s.Engines = []backends.Engine{openvino.Engine()}
		Expect(lines(s)).To(ContainSubstring(`model := openvino.File("../net.xml")`))
	})

	It("takes inputs from a script", func() {
		var in inputflags.Flags
		Expect(flagtest.Set(in.List(), "--data-loader-script a.py:load --cast-inputs")).To(Succeed())
		s := spec("deep/net_test.go", "", "")
		s.Inputs = in.Code
		Expect(lines(s)).To(And(ContainSubstring(`modelparity/backends/process"`),
			ContainSubstring(`inputs := process.Inputs("../a.py:load").AnyCase(model).Cast(model)`)))
	})

	It("compiles, and passes where the command line does", func(ctx SpecContext) {
		skips.Long(GinkgoT())
		ort.Require(GinkgoT())
		folder, err := usermodule.Folder("script-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, folder)
		data := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n", 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"n", 3}}}}}.Bytes()
		file := filepath.Join(folder, "net.onnx")
		Expect(os.WriteFile(file, data, 0o600)).To(Succeed())
		model := loaders.ONNX(file)
		run, err := ort.Run(ctx, model, fixtures.Random(model, fixtures.Shape("x", 2, 3)))
		Expect(err).NotTo(HaveOccurred())
		saved := filepath.Join(folder, "golden.json")
		Expect(runs.WriteRuns(saved, []runs.Named{{Name: "r", Run: run}})).To(Succeed())

		s := spec(filepath.Join(folder, "net_test.go"), "--input-shapes x:[2,3]",
			"--atol 1e-3 y:1 --check-error-stat max median")
		s.Saved = []string{saved}
		marked, alone, ready := s, s, s
		marked.File, marked.Marks = filepath.Join(folder, "marked_test.go"), loaders.Selection{All: true}
		alone.File, alone.Engines = filepath.Join(folder, "alone_test.go"), nil
		alone.Saved, alone.Several = []string{saved, saved}, true
		ready.File, ready.Model = filepath.Join(folder, "ready_test.go"), trt.Plan("net.plan")
		ready.Engines = []backends.Engine{ready.Model.(backends.Engine)}
		var in inputflags.Flags
		Expect(flagtest.Set(in.List(), "--data-loader-script loader.py")).To(Succeed())
		ready.Inputs = in.Code
		for _, spec := range []script.Spec{s, marked, alone, ready} { // all in one package
			text, err := spec.Source()
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(spec.File, text, 0o600)).To(Succeed())
		}
		command := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run",
			"Net|Marked|Alone", ".")
		command.Dir = folder
		said, err := command.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", said)
		Expect(string(said)).To(And(ContainSubstring("--- PASS: TestNet"),
			ContainSubstring("--- PASS: TestMarked"), ContainSubstring("--- PASS: TestAlone")))
	})
})
