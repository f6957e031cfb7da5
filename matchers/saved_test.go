package matchers_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/runs"
)

var _ = Describe("OfFile", func() {
	var folder string
	BeforeEach(func() { folder = GinkgoT().TempDir() })
	saved := func(name string, saved ...runs.Named) string {
		GinkgoHelper()
		path := filepath.Join(folder, name)
		Expect(runs.WriteRuns(path, saved)).To(Succeed())
		return path
	}
	one := func() runs.Named { return runs.Named{Name: "a", Run: run(set("y", f32(1, 2)))} }
	two := func() runs.Named { return runs.Named{Name: "b", Run: run(set("y", f32(3, 4)))} }

	It("holds outputs to a saved run", func() {
		m := MatchOutputs().OfFile(saved("run.json", one()))
		Expect(set("y", f32(1, 2))).To(m)
		Expect(set("y", f32(1, 3))).NotTo(m)
	})

	It("names the file, and who made it where the file knows", func() {
		path := saved("run.json", one())
		Expect(failure(MatchOutputs().OfFile(path), set("y", f32(0, 0)))).To(HavePrefix(
			"Expected\n    a set of tensors\nto match\n    the file " + path +
				"\n    made by onnxruntime 1.31.1 (CPUExecutionProvider), model digits.onnx, "))
		path = saved("run.npz", one())
		Expect(failure(MatchOutputs().OfFile(path), set("y", f32(0, 0)))).To(HavePrefix(
			"Expected\n    a set of tensors\nto match\n    the file " + path + "\n1 of 1 outputs"))
	})

	It("takes the actual names where the format has none", func() {
		m := MatchOutputs().OfFile(saved("run.npy", one()))
		Expect(set("logits", f32(1, 2))).To(m)
		Expect(run(set("logits", f32(1, 2)))).To(m)
		_, err := m.Match(set("a", f32(1, 2), "b", f32(1, 2)))
		Expect(err).To(MatchError(ContainSubstring("they cannot be matched")))
	})

	It("wants one run named where there are several", func() {
		path := saved("runs.json", one(), two())
		_, err := MatchOutputs().OfFile(path).Match(set("y", f32(1, 2)))
		Expect(err).To(MatchError("MatchOutputs: the expected run: " + path +
			" has 2 runs; select one, for example " + path + "#0"))
		Expect(set("y", f32(1, 2))).To(MatchOutputs().OfFile(path + "#a"))
		Expect(set("y", f32(3, 4))).To(MatchOutputs().OfFile(path + "#1/0"))
	})

	It("is an error without a path", func() {
		_, err := MatchOutputs().OfFile("").Match(set("y", f32(1)))
		Expect(err).To(MatchError("MatchOutputs: the expected run: the path of the file is empty"))
	})

	It("is an error without the file, and never writes it", func() {
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		path := filepath.Join(folder, "none.json")
		err := InterceptGomegaFailure(func() {
			Expect(set("y", f32(1))).To(MatchOutputs().OfFile(path))
		})
		Expect(err).To(MatchError(And(
			HavePrefix("MatchOutputs: the expected run: "+path+": "),
			ContainSubstring("no such file"))))
		Expect(path).NotTo(BeAnExistingFile())

		path = saved("run.json", one())
		before, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(run(set("y", f32(5)))).NotTo(MatchOutputs().OfFile(path))
		_ = InterceptGomegaFailure(func() {
			Expect(run(set("y", f32(5)))).To(MatchOutputs().OfFile(path))
		})
		Expect(os.ReadFile(path)).To(Equal(before))
	})
})
