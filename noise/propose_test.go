package noise_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// written is the source of a suite with a proposed assertion.
const written = `package proposed_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

func TestProposed(t *testing.T) {
	RegisterTestingT(t)
	ctx := t.Context()
	model := loaders.ONNX(%q)
	inputs := fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(2))
	%s}
`

var _ = Describe("A proposal", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	propose := func(ctx SpecContext, others ...backends.Engine) *noise.Proposal {
		GinkgoHelper()
		model, inputs := digits()
		p, err := noise.Propose(ctx, run(ctx, ort.Engine(), model, inputs), compare.Bars{}, others,
			noise.CacheIn(GinkgoT().TempDir()))
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(p.Text())
		return p
	}

	It("writes Go that compiles and passes", func(ctx SpecContext) {
		skips.Long(GinkgoT())
		p := propose(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
		Expect(p.Within()).To(BeTrue())
		folder, err := usermodule.Folder("proposed-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, folder)
		file, err := filepath.Abs(digitsFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(folder, "proposed_test.go"),
			fmt.Appendf(nil, written, file, p.Spec()), 0o600)).To(Succeed())
		command := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", ".")
		command.Dir = folder
		out, err := command.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
	})

	It("has tolerances that correct engines pass, and the power of each", func(ctx SpecContext) {
		model, inputs := digits()
		p := propose(ctx)
		Expect(p.Outputs).To(HaveLen(3))
		reference := run(ctx, ort.Engine(), model, inputs)
		for _, level := range []ort.Level{ort.OptimizeNone, ort.OptimizeBasic} {
			actual := run(ctx, ort.Engine(ort.OptimizationLevel(level)), model, inputs)
			for _, t := range p.Outputs {
				Expect(t.Sigma).To(BeNumerically(">", 0))
				for _, check := range []compare.Check{
					compare.Within(t.Atol, t.Rtol, compare.Elementwise),
					compare.Within(t.Max, 0, compare.Max), compare.Within(t.Median, 0, compare.Median)} {
					report, err := compare.Runs(actual.Outputs(), reference.Outputs(),
						compare.Options{Checks: []compare.Check{check}, Only: []string{t.Output}})
					Expect(err).NotTo(HaveOccurred())
					Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
				}
			}
		}
		Expect(p.Power).To(HaveLen(6))
		for _, fault := range p.Power {
			for check, change := range map[compare.Stat]float64{compare.Elementwise: fault.Elementwise,
				compare.Max: fault.Max} {
				Expect(change).To(BeNumerically("<", 1), "%v of %v", check, fault.Planted)
				faulty := run(ctx, ort.Engine(), plant(model, fault.Planted, change), inputs)
				options := compare.Options{PerOutput: map[string][]compare.Check{}}
				for _, t := range p.Outputs {
					atol, rtol := t.Atol, t.Rtol
					if check == compare.Max {
						atol, rtol = t.Max, 0
					}
					options.PerOutput[t.Output] = []compare.Check{compare.Within(atol, rtol, check)}
				}
				report, err := compare.Runs(faulty.Outputs(), reference.Outputs(), options)
				Expect(err).NotTo(HaveOccurred())
				Expect(report.Verdict).To(Equal(compare.Fail), "%v of %v", check, fault.Planted)
			}
		}
	})

	It("says which engine differs by more than rounding", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		p := propose(ctx, tract.Engine(tract.FP16()))
		Expect(p.Within()).To(BeFalse())
		Expect(p.Text()).To(MatchRegexp(`(?m)^tract FP16: beyond noise\n    features: rms error .* σ`))
		Expect(p.Noise.Sequential).To(And(BeNumerically(">", 0), Equal(p.Noise.Addends)))
		Expect(propose(ctx).Noise.Sequential).To(BeZero())
	})

	It("refuses outputs without elements, for which every tolerance would pass", func(
		ctx SpecContext) {
		m := modelOf(1, onnxtest.Node{Op: "Exp", In: []string{"x"}, Out: []string{"y"}})
		_, err := noise.Propose(ctx, run(ctx, ort.Engine(), m,
			fixtures.Of(set("x", tensor.Of[float32]()))), compare.Bars{}, nil,
			noise.CacheIn(GinkgoT().TempDir()))
		Expect(err).To(MatchError("noise: every output is empty; use inputs of a different shape"))
	})

	It("refuses a reference of lower precision", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		model, inputs := digits()
		_, err := noise.Propose(ctx, run(ctx, tract.Engine(tract.FP16()), model, inputs),
			compare.Bars{}, nil)
		Expect(err).To(MatchError(ContainSubstring("computes in lower precision than the model")))
	})
})
