package golden_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("The golden files of a tree", func() {
	run := runOf(must("x", tensor.Of[int8](1, 2)), must("x", tensor.Of[int8](3, 4)))
	write := func(path string) {
		GinkgoHelper()
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
	}
	text := func(path, content string) {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	}
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		text("go.mod", "module example.com/user\n")
		write("a/testdata/golden/digits.json")
		write("b/testdata/golden/deep/digits.json")
	})

	Describe("are found", func() {
		BeforeEach(func() {
			write("b/testdata/other.json")
			write("b/golden/other.json")
			write(".tool/testdata/golden/other.json")
			write("node_modules/x/testdata/golden/other.json")
			text("a/testdata/golden/.usage/default.json", "{}")
			text("a/testdata/golden/notes.md", "notes")
		})
		all := []string{"a/testdata/golden/digits.json", "b/testdata/golden/deep/digits.json"}

		It("in their folders, and nothing else is", func() {
			Expect(goldentree.Files()).To(Equal(all))
			Expect(goldentree.Files(".")).To(Equal(all))
			Expect(goldentree.Files("b/...", "a")).To(Equal(all), "in the order of their names")
			Expect(goldentree.Files("a", "./a/...", all[0])).To(Equal(all[:1]), "each once")
		})
		It("from within their folders too", func() {
			Expect(goldentree.Files("b/testdata/golden/deep")).To(Equal(all[1:]))
			GinkgoT().Chdir("b/testdata/golden")
			Expect(goldentree.Files()).To(Equal([]string{"deep/digits.json"}))
		})
		It("where a path leads by a link", func() {
			Expect(os.Symlink("a", "link")).To(Succeed())
			found, err := goldentree.Files("link")
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(HaveExactElements(HaveSuffix("testdata/golden/digits.json")))
		})
		It("as files that are named, whatever they are", func() {
			Expect(goldentree.Files("b/golden/other.json")).To(Equal([]string{"b/golden/other.json"}))
		})
		It("or their path is an error", func() {
			_, err := goldentree.Files("a", "nowhere")
			Expect(err).To(MatchError("golden: nowhere: no such file or directory"))
		})
	})

	Describe("at a glance", func() {
		const path = "a/testdata/golden/digits.json"

		It("say what made them, and their outputs", func() {
			f := goldentree.Look(context.Background(), path)
			Expect(f.Problem).To(BeEmpty())
			Expect(f.Bytes).To(BeNumerically("==", len(contents(path))))
			Expect(f.Made.Version).To(Equal("1.31.1"))
			Expect(f.Outputs).To(Equal([]goldentree.FileOutput{
				{Name: "x", Iteration: 0, Type: tensor.Int8, Shape: tensor.Shape{2}},
				{Name: "x", Iteration: 1, Type: tensor.Int8, Shape: tensor.Shape{2}}}))
			Expect(f.String()).To(Equal(path + ": onnxruntime 1.31.1 (CPUExecutionProvider), " +
				"digits.onnx: x int8[2], 2 iterations"))
		})
		DescribeTable("say what is wrong", func(change func(string) string, says string) {
			text(path, change(contents(path)))
			f := goldentree.Look(context.Background(), path)
			Expect(f.Problem).To(ContainSubstring(says))
			Expect(f.Outputs).To(BeEmpty())
			Expect(f.String()).To(Equal(path + ": " + f.Problem))
		},
			Entry("damage", func(text string) string { return text[:len(text)/2] }, "unexpected EOF"),
			Entry("edited by hand", func(text string) string {
				return strings.Replace(text, "1.31.1", "1.32.0", 1)
			}, "sha256"),
			Entry("a Git LFS pointer", func(string) string { return pointer }, "Git LFS pointer"),
			Entry("a merge conflict", func(text string) string {
				return "<<<<<<< HEAD\n" + text + "=======\n" + text + ">>>>>>> other\n"
			}, "merge conflict"),
			Entry("of another kind", func(string) string { return "{}" }, "not saved outputs"),
			Entry("empty", func(string) string { return "" }, "EOF"),
		)
		It("say that they are gone", func() {
			Expect(goldentree.Look(context.Background(), "gone.json").Problem).To(
				ContainSubstring("no such file"))
		})
	})
})
