package golden_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
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
			Expect(golden.Files()).To(Equal(all))
			Expect(golden.Files(".")).To(Equal(all))
			Expect(golden.Files("b/...", "a")).To(Equal(all), "in the order of their names")
			Expect(golden.Files("a", "./a/...", all[0])).To(Equal(all[:1]), "each once")
		})
		It("from within their folders too", func() {
			Expect(golden.Files("b/testdata/golden/deep")).To(Equal(all[1:]))
			GinkgoT().Chdir("b/testdata/golden")
			Expect(golden.Files()).To(Equal([]string{"deep/digits.json"}))
		})
		It("where a path leads by a link", func() {
			Expect(os.Symlink("a", "link")).To(Succeed())
			found, err := golden.Files("link")
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(HaveExactElements(HaveSuffix("testdata/golden/digits.json")))
		})
		It("as files that are named, whatever they are", func() {
			Expect(golden.Files("b/golden/other.json")).To(Equal([]string{"b/golden/other.json"}))
		})
		It("or their path is an error", func() {
			_, err := golden.Files("a", "nowhere")
			Expect(err).To(MatchError("golden: nowhere: no such file or directory"))
		})
	})

	Describe("at a glance", func() {
		const path = "a/testdata/golden/digits.json"

		It("say what made them, and their outputs", func() {
			f := golden.Look(path)
			Expect(f.Problem).To(BeEmpty())
			Expect(f.Bytes).To(BeNumerically("==", len(contents(path))))
			Expect(f.Made.Version).To(Equal("1.31.1"))
			Expect(f.Outputs).To(Equal([]golden.FileOutput{
				{Name: "x", Iteration: 0, Type: tensor.Int8, Shape: tensor.Shape{2}},
				{Name: "x", Iteration: 1, Type: tensor.Int8, Shape: tensor.Shape{2}}}))
			Expect(f.String()).To(Equal(path + ": onnxruntime 1.31.1 (CPUExecutionProvider), " +
				"digits.onnx: x int8[2], 2 iterations"))
		})
		DescribeTable("say what is wrong", func(change func(string) string, says string) {
			text(path, change(contents(path)))
			f := golden.Look(path)
			Expect(f.Problem).To(ContainSubstring(says))
			Expect(f.Outputs).To(BeEmpty())
			Expect(f.String()).To(Equal(path + ": " + f.Problem))
		},
			Entry("damage", func(text string) string { return text[:len(text)/2] }, "unexpected EOF"),
			Entry("edited by hand", func(text string) string {
				return strings.Replace(text, "1.31.1", "1.32.0", 1)
			}, "sha256"),
			Entry("a Git LFS pointer", func(string) string { return pointer }, "Git LFS pointer"),
			Entry("both sides of a merge", func(text string) string {
				return "<<<<<<< HEAD\n" + text + "=======\n" + text + ">>>>>>> other\n"
			}, "both sides of a merge"),
			Entry("of another kind", func(string) string { return "{}" }, "not saved outputs"),
			Entry("empty", func(string) string { return "" }, "EOF"),
		)
		It("say that they are gone", func() {
			Expect(golden.Look("gone.json").Problem).To(ContainSubstring("no such file"))
		})
	})

	Describe("are asked", func() {
		ask := func(name string, q golden.Question) (golden.Answer, error) {
			GinkgoHelper()
			for _, w := range golden.Words() {
				if w.Name == name {
					return w.Ask(context.Background(), q)
				}
			}
			Fail("no word " + name)
			return golden.Answer{}, nil
		}
		propose := func(values ...int8) {
			GinkgoHelper()
			GinkgoT().Chdir("a")
			golden.ForgetAll()
			asked("diff")
			_, err := golden.Update("testdata/golden/digits.json",
				runOf(must("x", tensor.Of(values...))), golden.Options{Judge: passesOnly(values[0] == 1)})
			Expect(err).NotTo(HaveOccurred())
			GinkgoT().Chdir("..")
		}
		marshals := func(a golden.Answer) string {
			GinkgoHelper()
			text, err := json.Marshal(a.Value)
			Expect(err).NotTo(HaveOccurred())
			return string(text)
		}

		It("what they hold", func() {
			a, err := ask("ls", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(strings.Count(a.Text, "\n")).To(Equal(2))
			Expect(a.Differs).To(BeFalse())
			Expect(marshals(a)).To(ContainSubstring(`"path":"a/testdata/golden/digits.json"`))
			text("b/testdata/golden/deep/digits.json", "")
			a, err = ask("ls", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Differs).To(BeFalse(), "to look is not to judge")
		})
		It("whether they vouch for their data", func() {
			a, err := ask("verify", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(Equal("2 of 2 golden files vouch for their data\n"))
			Expect(a.Differs).To(BeFalse())
			text("b/testdata/golden/deep/digits.json", "[")
			a, err = ask("verify", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(MatchRegexp("^b/testdata/golden/deep/digits.json: .+\n1 of 2 golden files " +
				"vouch for their data\n$"))
			Expect(a.Differs).To(BeTrue())
		})
		DescribeTable("and where there are none, nothing can be said", func(name, says string) {
			Expect(os.Mkdir("empty", 0o755)).To(Succeed())
			a, err := ask(name, golden.Question{Paths: []string{"empty"}})
			Expect(err).To(MatchError(ContainSubstring(says)))
			Expect(a).To(BeZero())
		},
			Entry(nil, "ls", "no golden file under empty: they lie in folders testdata/golden"),
			Entry(nil, "verify", "no golden file under empty"),
			Entry(nil, "diff", "no run has judged a golden file under empty"),
			Entry(nil, "accept", "no run has judged a golden file under empty"),
			Entry(nil, "gc", "no golden file under empty"),
		)
		It("what the last run would change, and to take it", func() {
			propose(5)
			a, err := ask("diff", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(And(HavePrefix("golden would be rewritten: a/testdata/golden/digits.json\n"),
				HaveSuffix("\ngolden files: 1 would change, 1 were not asked for by any run\n")))
			Expect(a.Differs).To(BeTrue())
			Expect(a.Changes).To(HaveLen(1))
			Expect(marshals(a)).To(ContainSubstring(`"state":"differs"`))

			a, err = ask("accept", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(And(HavePrefix("golden rewritten: a/testdata/golden/digits.json, x of "),
				HaveSuffix("golden: summary for a pull request: "+golden.Summary()+"\n")))
			Expect(a.Changes).To(HaveLen(1))
			a, err = ask("diff", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(
				Equal("golden files: 1 were accepted, 1 were not asked for by any run\n"))
			Expect(a.Differs).To(BeFalse())
			a, err = ask("accept", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(Equal("golden: nothing to accept: what the last run gave holds\n"))
			Expect(marshals(a)).To(Equal("[]"))
		})
		It("what moved within tolerance, where all is asked for", func() {
			propose(1)
			a, err := ask("diff", golden.Question{})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(HavePrefix("golden files: 1 hold within tolerance, though outputs moved"))
			Expect(a.Differs).To(BeFalse())
			Expect(a.Changes).To(BeEmpty())
			a, err = ask("diff", golden.Question{All: true})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(HavePrefix("golden kept: a/testdata/golden/digits.json\n"))
			Expect(a.Differs).To(BeTrue())
			a, err = ask("accept", golden.Question{All: true})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Changes).To(HaveLen(1))
		})
		It("whether one changed after the run", func() {
			propose(5)
			write("c.json")
			Expect(os.Rename("c.json", "a/testdata/golden/digits.json")).To(Succeed())
			text("a/testdata/golden/digits.json", contents("a/testdata/golden/digits.json")+"\n")
			a, err := ask("diff", golden.Question{Paths: []string{"a"}})
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Text).To(Equal("golden stale: a/testdata/golden/digits.json changed after the run " +
				"that judged it\ngolden files: 1 changed after the run\n"))
			Expect(a.Differs).To(BeTrue())
		})
		It("what is unused, which a complete run of each package must say", func() {
			a, err := ask("gc", golden.Question{})
			Expect(err).To(MatchError(And(ContainSubstring("recorded what ./a uses"),
				ContainSubstring("recorded what ./b uses"))))
			Expect(marshals(a)).To(Equal("[]"))
			for _, unused := range []string{"", `"testdata/golden/digits.json"`} {
				text("a/testdata/golden/.usage/x-y.json", `{"format": 1, "specs": {}, "unused": [`+unused+`]}`)
				a, err = ask("gc", golden.Question{Paths: []string{"a"}})
				Expect(err).NotTo(HaveOccurred())
				if unused == "" {
					Expect(a.Text).To(Equal("golden: complete runs left no golden file unused\n"))
				}
			}
			Expect(a.Text).To(Equal("golden unused: a/testdata/golden/digits.json: no spec of its " +
				"package used it in the complete run on x-y\n" +
				"golden: nothing was deleted; delete by hand what is not wanted\n"))
			Expect(marshals(a)).To(HavePrefix(`[{"file":"a/testdata/golden/digits.json","why":"no spec`))
			Expect(a.Differs).To(BeFalse())
			Expect("a/testdata/golden/digits.json").To(BeAnExistingFile())
		})
	})
})
