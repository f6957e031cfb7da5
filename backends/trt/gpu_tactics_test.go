//go:build linux && cgo

package trt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("tactics on a GPU", Label("gpu"), func() {
	var file string
	BeforeEach(func() {
		needBoth()
		file = filepath.Join(GinkgoT().TempDir(), "tactics.json")
	})
	// change replaces the first text of the file that fits.
	change := func(pattern, by string) {
		GinkgoHelper()
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		first := regexp.MustCompile(pattern).Find(text)
		Expect(first).NotTo(BeNil())
		text = regexp.MustCompile(regexp.QuoteMeta(string(first))).ReplaceAllLiteral(text, []byte(by))
		Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
	}

	// A replay that succeeds is one in which TensorRT reported, for every layer of the engine, the
	// tactic that the file names.
	It("are recorded, and replayed with the same numbers", func(ctx SpecContext) {
		recorded, err := trt.Run(ctx, digits, images, onGPU(trt.SaveTactics(file))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(recorded).To(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images)))
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("tactics", string(text))
		Expect(string(text)).To(And(ContainSubstring("conv1"), ContainSubstring("TacticReplayData")))
		cache := trt.EngineCache(GinkgoT().TempDir())
		var seconds []string
		for range 2 { // built, and found in the cache
			start := time.Now()
			replayed, err := trt.Run(ctx, digits, images, onGPU(cache, trt.LoadTactics(file))...)
			Expect(err).NotTo(HaveOccurred())
			seconds = append(seconds, time.Since(start).Round(time.Millisecond).String())
			Expect(replayed).To(MatchOutputsWithin(0, 0, Elementwise).Of(recorded))
		}
		AddReportEntry("replayed, and found in the cache", seconds)
	}, long)

	It("that TensorRT does not have are refused", func(ctx SpecContext) {
		_, err := trt.Run(ctx, digits, images, onGPU(trt.SaveTactics(file))...)
		Expect(err).NotTo(HaveOccurred())
		change(`"tactic": -?\d+`, `"tactic": 4242424242`)
		_, err = trt.Run(ctx, digits, images, onGPU(trt.LoadTactics(file))...)
		Expect(err).To(MatchError(And(ContainSubstring("TensorRT does not offer implementation"),
			ContainSubstring("tactic 4242424242 of tactics.json: the model, the options, TensorRT or "+
				"the GPU have changed"), ContainSubstring("record it again with"))))
		AddReportEntry("error", err.Error())
	}, long)

	It("of another model are refused", func(ctx SpecContext) {
		_, err := trt.Run(ctx, chain("c", 1, 4), feed(floats(tensor.Shape{4}, 1, 2, 3, 4)),
			onGPU(trt.SaveTactics(file))...)
		if err != nil {
			// TensorRT may fold the whole chain into one kernel of its compiler's.
			Expect(err).To(MatchError(ContainSubstring("TensorRT reported no tactics")))
			AddReportEntry("the chain", err.Error())
			return
		}
		_, err = trt.Run(ctx, digits, images, onGPU(trt.LoadTactics(file))...)
		Expect(err).To(MatchError(And(ContainSubstring(
			"of the engine is not in tactics.json: the model or the options have changed"),
			ContainSubstring("record it again with"))))
	}, long)

	It("are exchanged with Polygraphy", func(ctx SpecContext) {
		python := pythontest.With(GinkgoT(), "polygraphy.tools", "tensorrt")
		same := []trt.Option{trt.Detailed(), trt.Profile(trt.Range("image",
			tensor.Shape{360, 1, 8, 8}, tensor.Shape{360, 1, 8, 8}, tensor.Shape{360, 1, 8, 8}))}
		polygraphy := func(arguments ...string) string {
			GinkgoHelper()
			const shape = "image:[360,1,8,8]"
			output, err := exec.CommandContext(ctx, python, append([]string{"-c",
				"import sys; from polygraphy.tools import main; sys.exit(main())", "convert",
				"../../example_test/digits/testdata/digits.onnx", "--convert-to", "trt", "-o",
				filepath.Join(GinkgoT().TempDir(), "x.plan"), "--trt-min-shapes", shape,
				"--trt-opt-shapes", shape, "--trt-max-shapes", shape}, arguments...)...).CombinedOutput()
			AddReportEntry("polygraphy", string(output), ReportEntryVisibilityFailureOrVerbose)
			Expect(err).NotTo(HaveOccurred(), string(output))
			return string(output)
		}
		_, err := trt.Run(ctx, digits, images, onGPU(append(same, trt.SaveTactics(file))...)...)
		Expect(err).NotTo(HaveOccurred())
		Expect(polygraphy("--load-tactics", file)).NotTo(
			ContainSubstring("not found in the tactic replay"))
		theirs := filepath.Join(GinkgoT().TempDir(), "theirs.json")
		polygraphy("--save-tactics", theirs)
		_, err = trt.Run(ctx, digits, images, onGPU(append(same, trt.LoadTactics(theirs))...)...)
		Expect(err).NotTo(HaveOccurred())
	}, long)
})

// Options that no other spec tries on a GPU.
var _ = Describe("more options on a GPU", Label("gpu"), func() {
	BeforeEach(needBoth)
	same := func(ctx SpecContext, options ...trt.Option) {
		GinkgoHelper()
		Expect(trt.Run(ctx, digits, images, onGPU(options...)...)).To(And(BeFinite(),
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images))))
	}

	DescribeTable("are ONNX Runtime's float32 with", same,
		Entry("Device", long, trt.Device(0)),
		Entry("NoEngineCache", long, trt.NoEngineCache()),
		Entry("TensorFormats of all", long, trt.TensorFormats("*", "LINEAR")),
		Entry("STRICT_NANS", long, trt.StrictNaNs()),
	)

	It("name the library by its path", func(ctx SpecContext) {
		library := filepath.Join(os.Getenv(trt.LibraryVariable), "libnvinfer.so.10")
		if _, err := os.Stat(library); err != nil {
			Skip("the folder of TensorRT's libraries is not named by a variable: " + err.Error())
		}
		same(ctx, trt.Library(library))
	}, long)

	It("mark an output instead of another", func(ctx SpecContext) {
		run, err := trt.Run(ctx, digits, images, onGPU(trt.MarkOnly("pool1"))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(run).To(HaveOutput("pool1"))
		Expect(run.Outputs()[0].Names()).NotTo(ContainElement("logits"))
	}, long)

	It("set the element type of every input and output", func(ctx SpecContext) {
		half := []byte{0x00, 0x3c, 0x00, 0x40} // 1 and 2
		x, err := tensor.FromBytes(tensor.Float16, tensor.Shape{2}, half)
		Expect(err).NotTo(HaveOccurred())
		run, err := trt.Run(ctx, chain("c", 0.5, 2), feed(tensor.Entry{Name: "x", Tensor: x}),
			onGPU(trt.FP16(), trt.TensorType("*", tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		y, _ := run.Outputs()[0].Get("y")
		Expect(y.ElementType()).To(Equal(tensor.Float16))
		Expect([]float64{y.Float64At(0), y.Float64At(1)}).To(Equal([]float64{1.5, 2.5}))
	}, long)

	It("read one timing cache and write another", func(ctx SpecContext) {
		from := filepath.Join(GinkgoT().TempDir(), "from")
		to := filepath.Join(GinkgoT().TempDir(), "to")
		same(ctx, trt.SaveTimingCache(from))
		before, err := os.ReadFile(from)
		Expect(err).NotTo(HaveOccurred())
		_, err = trt.Run(ctx, chain("c", 1, 4), feed(floats(tensor.Shape{4}, 1, 2, 3, 4)),
			onGPU(trt.SaveTimingCache(to))...)
		Expect(err).NotTo(HaveOccurred())
		same(ctx, trt.LoadTimingCache(from), trt.ErrorOnTimingCacheMiss(), trt.SaveTimingCache(to))
		Expect(os.ReadFile(from)).To(Equal(before))
		same(ctx, trt.LoadTimingCache(to), trt.ErrorOnTimingCacheMiss())
	}, long)

	// What TensorRT may refuse, and then says so.
	DescribeTable("are ONNX Runtime's float32, or refused with",
		func(ctx SpecContext, refusal string, option trt.Option) {
			run, err := trt.Run(ctx, digits, images, onGPU(option)...)
			if err != nil {
				Expect(err).To(MatchError(ContainSubstring(refusal)))
				AddReportEntry("refused", err.Error())
				return
			}
			Expect(run).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images)))
		},
		Entry("SAFETY_SCOPE", long, "returned no engine", trt.SafetyScope()),
		Entry("DecomposableAttentions", long, "it was added in 10.14", trt.DecomposableAttentions()),
	)
})
