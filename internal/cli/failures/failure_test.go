package failures

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A failure", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// wrong is a network of three layers whose fourth node is another operator.
	wrong := func() onnxtest.Graph {
		g := network(3)
		g.Nodes[4].Op = "Sub"
		return g
	}

	It("of two sides is reduced to files that reproduce it", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		f, err := Differing(ctx, side("actual", wrong()), side("expected", network(3)),
			strict())
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		to := ReduceFiles{Model: filepath.Join(folder, "small.onnx"),
			Good: filepath.Join(folder, "good.onnx")}
		steps := 0
		reduced, written, err := f.ReduceTo(ctx, to,
			locate.ReduceOptions{Progress: func(locate.Step) { steps++ }})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add1"}))
		Expect(steps).To(Equal(reduced.Tried))
		Expect(reduced.Text()).To(MatchRegexp(
			`^reduced to 1 of 9 nodes in \d+ runs:\n  node 4: Sub "add1": .* → .*\n$`))
		for _, name := range []string{"small.onnx", "small.onnx.inputs.json", "small_test.go",
			"small.expected.onnx", "good.onnx", "good.onnx.inputs.json"} {
			Expect(written).To(ContainElement(filepath.Join(folder, name)))
			Expect(filepath.Join(folder, name)).To(BeARegularFile())
		}
		Expect(to.VerdictsFile()).NotTo(BeAnExistingFile(), "no one asked for it")
		Expect(f.LeavesOut()).To(BeFalse())
	})

	It("keeps the verdicts where a file was named, for this question alone", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		to := ReduceFiles{Model: filepath.Join(folder, "small.onnx"),
			Verdicts: filepath.Join(folder, "verdicts.json")}
		reduce := func(rule compare.Options) (*locate.Reduced, error) {
			f, err := Differing(ctx, side("actual", wrong()), side("expected", network(3)), rule)
			Expect(err).NotTo(HaveOccurred())
			defer f.Close()
			reduced, _, err := f.ReduceTo(ctx, to, locate.ReduceOptions{})
			return reduced, err
		}
		first, err := reduce(strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Tried).To(BeNumerically(">", 0))
		again, err := reduce(strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Tried).To(BeZero())
		_, err = reduce(compare.Options{Checks: []compare.Check{
			compare.Within(1, 0, compare.Elementwise)}})
		Expect(err).To(MatchError(ContainSubstring(to.Verdicts)))
	})

	It("that is none leaves no file", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		f, err := Differing(ctx, side("actual", network(3)), side("expected", network(3)),
			strict())
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		_, _, err = f.ReduceTo(ctx, ReduceFiles{Model: filepath.Join(folder, "small.onnx")},
			locate.ReduceOptions{})
		Expect(err).To(MatchError(locate.ErrPasses))
		Expect(os.ReadDir(folder)).To(BeEmpty())
	})

	It("is found by a command, whose engine only records", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		f, err := Judged(side("actual", wrong()), &locate.JudgeCommand{
			Args: []string{"sh", "-c", "! grep -q add1 {}"}, File: filepath.Join(folder, "c.onnx")})
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		reduced, _, err := f.ReduceTo(ctx,
			ReduceFiles{Model: filepath.Join(folder, "small.onnx")}, locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add1"}))
		Expect(os.ReadFile(filepath.Join(folder, "small_test.go"))).To(
			ContainSubstring("locate.JudgeCommand{"))
	})

	It("is refused where nothing can look for it", func(ctx SpecContext) {
		_, err := Judged(side("actual", wrong()), &locate.JudgeCommand{})
		Expect(err).To(MatchError(ContainSubstring("the judge command is empty")))
		_, err = Differing(ctx, side("actual", wrong()), side("expected", network(3)),
			compare.Options{Checks: []compare.Check{compare.L2(1)}})
		Expect(err).To(MatchError(ContainSubstring("a generated spec can use only atol and rtol")))
		f, err := Judged(side("actual", wrong()), &locate.JudgeCommand{Args: []string{"true"}})
		Expect(err).NotTo(HaveOccurred())
		_, _, err = f.ReduceTo(ctx, ReduceFiles{Model: "/dev/null"}, locate.ReduceOptions{})
		Expect(err).To(MatchError(ContainSubstring("not a regular file")))
	})
})

var _ = DescribeTable("a step in one line", func(s locate.Step, want string) {
	Expect(s.String()).To(Equal(want))
},
	Entry(nil, locate.Step{Nodes: 12, Fails: true}, "  12 nodes: fails"),
	Entry(nil, locate.Step{Nodes: 3, Kept: true}, "   3 nodes: passes (kept)"),
	Entry(nil, locate.Step{Nodes: 3, Err: os.ErrNotExist},
		"   3 nodes: cannot be judged: file does not exist"),
)
