package upgrade_test

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// If only one version of TensorRT is available, other builder options change the outputs like an
// upgrade. UPGRADE_MODEL names another model.
var _ = Describe("after TensorRT builds with other options", Label("gpu", "backend:tensorrt"),
	func() {
		path, err := filepath.Abs(cmp.Or(os.Getenv("UPGRADE_MODEL"), "../digits/testdata/digits.onnx"))

		BeforeEach(func() {
			trt.Require(GinkgoT())
			Expect(err).NotTo(HaveOccurred())
			GinkgoT().Chdir(GinkgoT().TempDir()) // leave the suite's own files alone
			GinkgoT().Setenv("MODELPARITY_REVIEW", GinkgoT().TempDir())
			GinkgoT().Setenv("GOLDEN_UPDATE", "")
			GinkgoT().Setenv("CI", "")
			Expect(os.WriteFile("go.mod", []byte("module upgrade\n"), 0o600)).To(Succeed())
		})

		It("is reviewed and accepted", func(ctx SpecContext) {
			model := loaders.ONNX(path)
			inputs := fixtures.Random(model, fixtures.Seed(1))
			was, err := trt.Run(ctx, model, inputs)
			Expect(err).NotTo(HaveOccurred())
			is, err := trt.Run(ctx, model, inputs, inFP16(model)...)
			Expect(err).NotTo(HaveOccurred())

			const file = "testdata/golden/net.json"
			Expect(golden.Write(file, was, golden.Options{})).To(Succeed())
			Expect(was).To(MatchGolden("net"))
			Expect(is).NotTo(MatchGolden("net"))
			p, err := golden.Prepare(golden.Diff, file, is, golden.Options{Tolerance: "equal",
				Judge: func(now, old *backends.Run) (compare.Report, error) {
					return compare.Runs(now.Outputs(), old.Outputs(), compare.Options{
						Checks: []compare.Check{compare.Within(0, 0, Elementwise)}})
				}})
			Expect(err).NotTo(HaveOccurred())
			Expect(p.Commit()).To(HaveField("Proposed", true))
			review, err := golden.Review(ctx) // modelparity golden diff
			Expect(err).NotTo(HaveOccurred())
			Expect(review).To(HaveExactElements(HaveField("State", golden.Differs)))
			text := review[0].Change.Text()
			AddReportEntry("modelparity golden diff", text)
			Expect(text).To(And(ContainSubstring("golden would be rewritten: "+file),
				ContainSubstring("tensorrt"), ContainSubstring("fp16")))
			Expect(golden.Accept(ctx, false)).To(HaveLen(1))
			Expect(is).To(MatchGolden("net"))
			Expect(was).NotTo(MatchGolden("net"))

			for _, run := range []*backends.Run{was, is} { // each engine has its own file
				own := golden.Variants("net", run.Provenance)[0]
				Expect(golden.Write("testdata/golden/"+own+".json", run, golden.Options{})).To(Succeed())
				Expect(run).To(MatchGolden("net").PerEngine())
			}
			files, err := filepath.Glob("testdata/golden/*.json")
			Expect(err).NotTo(HaveOccurred())
			AddReportEntry("golden files", files)
		}, SpecTimeout(5*time.Minute))
	})

// inFP16 forces every possible node into FP16. If FP16 is only allowed, TensorRT uses it where it
// is faster, which it is not for small networks.
func inFP16(model *loaders.Model) []trt.Option {
	GinkgoHelper()
	nodes, err := model.Nodes()
	Expect(err).NotTo(HaveOccurred())
	options := []trt.Option{trt.FP16(), trt.PrecisionConstraints(trt.Prefer)}
	for _, n := range nodes {
		switch n.Op {
		case "Conv", "Gemm", "MatMul":
			options = append(options, trt.LayerPrecision(n.Name, tensor.Float16))
		}
	}
	return options
}
