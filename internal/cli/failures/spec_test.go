package failures

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// approximate lets ONNX Runtime replace Gelu by a formula that is off by about 1e-4 to 1e-3, from
// the level extended on: a difference that no processor's last bits decide.
var approximate = ort.Config("optimization.enable_gelu_approximation", "1")

// gelu is x → Neg n → Gelu g → Neg y, on values of both signs.
func gelu() backends.Subject {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{64}}}
	}
	model := loaders.ONNXBytes("gelu.onnx", onnxtest.Model{
		Opsets: map[string]int64{"": 19, "com.microsoft": 1},
		Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Neg", Name: "before", In: []string{"x"}, Out: []string{"n"}},
				{Op: "Gelu", Domain: "com.microsoft", Name: "gelu", In: []string{"n"}, Out: []string{"g"}},
				{Op: "Neg", Name: "after", In: []string{"g"}, Out: []string{"y"}}},
			Inputs: value("x"), Outputs: value("y")}}.Bytes())
	return backends.Subject{Model: model, Inputs: fixtures.Random(model, fixtures.ValRange(-3, 3))}
}

var _ = Describe("A generated spec", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("names files of engines and commands from its own folder", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("ops.so", nil, 0o600)).To(Succeed())
		custom := ort.Engine(ort.CustomOps("ops.so"))
		text, err := spec{actual: custom, expected: ort.Engine(), rule: compare.Options{
			Checks: []compare.Check{compare.Within(0, 0, compare.Max)}}}.text("out/part.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(`ort.CustomOps("../ops.so")`))
		judge := locate.JudgeCommand{Args: []string{"cmp", "ops.so"}}
		text, err = spec{judge: &judge}.text("out/part.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(`"cmp", "../ops.so"`))
	})

	// reduced reduces a subject, run by two engines, and writes what is found to folder.
	reduced := func(ctx SpecContext, folder string, s backends.Subject,
		actual, expected backends.Engine, rule compare.Options) *locate.Reduced {
		GinkgoHelper()
		a, e := s, s
		a.Engine, e.Engine = actual, expected
		f, err := Differing(ctx, a, e, rule)
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
		found, _, err := f.ReduceTo(ctx, ReduceFiles{Model: filepath.Join(folder, "part.onnx")},
			locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		return found
	}
	// tested runs the specs in a folder's folders, which lie in the module.
	tested := func(ctx SpecContext, root string) string {
		command := exec.CommandContext(ctx, "go", "test", "-count=1", "./...")
		command.Dir = root
		out, _ := command.CombinedOutput()
		return string(out)
	}
	room := func() string {
		GinkgoHelper()
		skips.Long(GinkgoT())
		folder, err := usermodule.Folder("spec-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, folder)
		return folder
	}

	It("fails as the original did, with every option that changes numbers", func(ctx SpecContext) {
		root := room()
		rule := strict()
		for i, pair := range []struct {
			what             string
			s                backends.Subject
			actual, expected backends.Engine
			node             string
		}{
			{"the optimisation level of the expected side", gelu(), ort.Engine(approximate),
				ort.Engine(approximate, ort.OptimizationLevel(ort.OptimizeNone)), "gelu"},
			{"the optimisation level of the actual side", gelu(),
				ort.Engine(ort.OptimizationLevel(ort.OptimizeBasic), approximate), ort.Engine(approximate),
				"gelu"},
			{"an entry of the configuration, among options that change nothing", gelu(),
				ort.Engine(approximate, ort.Threads(2), ort.WarmUp(1)),
				ort.Engine(ort.Providers("cpu")), "gelu"},
			{"both, on the expected side", gelu(), ort.Engine(approximate),
				ort.Engine(approximate, ort.OptimizationLevel(ort.OptimizeBasic),
					ort.Config("session.use_env_allocators", "0")), "gelu"},
		} {
			found := reduced(ctx, filepath.Join(root, fmt.Sprint("pair", i)), pair.s, pair.actual,
				pair.expected, rule)
			Expect(strings.Join(names(found.Nodes), " ")).To(Equal(pair.node), pair.what)
		}
		out := tested(ctx, root)
		Expect(out).NotTo(MatchRegexp("(build|setup) failed"))
		failed := regexp.MustCompile(`(?m)^FAIL\t.*/pair\d`).FindAllString(out, -1)
		Expect(failed).To(HaveLen(4), "%s", out)
		Expect(strings.Count(out, "FAIL  g  float32")).To(Equal(4), "%s", out)
	})

	It("is written with the same part of the expected side's model", func(ctx SpecContext) {
		faulty := network(4)
		faulty.Nodes[4].Op = "Sub"
		f, err := Differing(ctx, side("actual", faulty), side("expected", network(4)), strict())
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		root := room()
		_, files, err := f.ReduceTo(ctx, ReduceFiles{Model: filepath.Join(root, "wrong.onnx")},
			locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(4))
		Expect(tested(ctx, root)).To(And(ContainSubstring("a1"), HavePrefix("--- FAIL"),
			Not(MatchRegexp("(build|setup) failed"))))
	})

	It("passes where the two sides agree, so that it fails for the difference alone",
		func(ctx SpecContext) {
			root := room()
			part, err := locate.Extract(ctx, in(ort.Engine(), gelu()), nil, []string{"g"})
			Expect(err).NotTo(HaveOccurred())
			same := spec{actual: ort.Engine(), rule: strict(),
				expected: ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))}
			_, err = same.save(&locate.Reduced{Part: *part}, filepath.Join(root, "part.onnx"))
			Expect(err).NotTo(HaveOccurred())
			Expect(tested(ctx, root)).To(HavePrefix("ok "))
		})

	It("converts the inputs for another model, and compares only values", func() {
		text, err := spec{actual: ort.Engine(), expected: ort.Engine(), rule: strict(),
			expectedModel: gelu().Model.(*loaders.Model)}.text("part.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(And(ContainSubstring("AnyElementType: true"), ContainSubstring(
			`loaders.ONNX("part.expected.onnx"), inputs.Cast(loaders.ONNX("part.expected.onnx")))`)))
	})

	It("says every check, and names what has no Go form", func() {
		spec := spec{actual: fake.Engine(fake.Named("b"), fake.Error(nil)), expected: ort.Engine(),
			rule: compare.Options{AnyShape: true, AnyElementType: true, Checks: []compare.Check{
				compare.Within(1e-5, 1e-3, compare.Max), compare.Within(0, 1, compare.Quantile(0.99))}}}
		Expect((&Failure{spec: spec}).LeavesOut()).To(BeTrue())
		text, err := spec.text("part.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(And(
			ContainSubstring(`fake.Engine(fake.Named("b") /* left out: fake.Error(an error) */)`),
			ContainSubstring(`MatchOutputsWithin(1e-05, 0.001, Max).
		With(compare.Within(0, 1, Quantile(0.99))).
		Under(compare.Options{NaNEqual: true, InfinitiesEqual: true, `+
				`AnyElementType: true, AnyShape: true}).`),
			ContainSubstring(`"github.com/modelparity/modelparity/backends/fake"`)))

		spec.rule.Checks = []compare.Check{compare.CosineSimilarity(0.9)}
		_, err = spec.text("part.onnx")
		Expect(err).To(MatchError(ContainSubstring("only atol and rtol, got cos")))
		spec.rule.Checks = nil
		_, err = spec.text("part.onnx")
		Expect(err).To(MatchError("locate: spec: the rule has no checks"))
	})

	It("asks the judge command as the search did", func(ctx SpecContext) {
		root := room()
		part, err := locate.Extract(ctx, in(plain, gelu()), nil, []string{"g"})
		Expect(err).NotTo(HaveOccurred())
		for folder, script := range map[string]string{
			"fails": "test -s {inputs}; grep -q Gelu {} && exit 3", "passes": "exit 1"} {
			folder = filepath.Join(root, folder)
			Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
			judge := &locate.JudgeCommand{Args: []string{"sh", "-c", script}, FailCodes: []int{3}}
			_, err = spec{judge: judge}.save(&locate.Reduced{Part: *part},
				filepath.Join(folder, "part.onnx"))
			Expect(err).NotTo(HaveOccurred())
		}
		out := tested(ctx, root)
		Expect(out).To(And(MatchRegexp(`(?m)^FAIL\t.*/fails`),
			ContainSubstring("the failure still occurs"), MatchRegexp(`(?m)^ok .*/passes`)), "%s", out)
	})
})
