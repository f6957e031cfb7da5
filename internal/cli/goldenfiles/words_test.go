package goldenfiles_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/tensor"
)

func TestGoldenFiles(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Golden files for the command")
}

// runOf is a run of two iterations, or as many as there are tensors.
func runOf(all ...*tensor.Tensor) *backends.Run {
	GinkgoHelper()
	run := backends.NewRun(backends.Provenance{Backend: "onnxruntime", Model: "digits.onnx"})
	for _, t := range all {
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: t})
		Expect(err).NotTo(HaveOccurred())
		run.Append(backends.Iteration{Outputs: set})
	}
	return run
}

var _ = Describe("The golden files of a tree are asked", func() {
	text := func(path, content string) {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	}
	contents := func(path string) string {
		GinkgoHelper()
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		return string(data)
	}
	write := func(path string) {
		GinkgoHelper()
		Expect(golden.Write(path, runOf(tensor.Of[int8](1, 2), tensor.Of[int8](3, 4)),
			golden.Options{})).To(Succeed())
	}
	BeforeEach(func() {
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv(goldentree.EnvUpdate, "")
		GinkgoT().Setenv(goldentree.EnvReview, GinkgoT().TempDir())
		GinkgoT().Chdir(GinkgoT().TempDir())
		text("go.mod", "module example.com/user\n")
		write("a/testdata/golden/digits.json")
		write("b/testdata/golden/deep/digits.json")
	})

	ask := func(name string, q goldenfiles.Question) (goldenfiles.Answer, error) {
		GinkgoHelper()
		for _, w := range goldenfiles.Words() {
			if w.Name == name {
				return w.Ask(context.Background(), q)
			}
		}
		Fail("no word " + name)
		return goldenfiles.Answer{}, nil
	}
	propose := func(values ...int8) {
		GinkgoHelper()
		GinkgoT().Chdir("a")
		verdict := compare.Fail
		if values[0] == 1 {
			verdict = compare.Pass
		}
		p, err := golden.Prepare(golden.Diff, "testdata/golden/digits.json",
			runOf(tensor.Of(values...)), golden.Options{
				Judge: func(_, _ *backends.Run) (compare.Report, error) {
					return compare.Report{Verdict: verdict}, nil
				}})
		Expect(err).NotTo(HaveOccurred())
		_, err = p.Commit()
		Expect(err).NotTo(HaveOccurred())
		GinkgoT().Chdir("..")
	}
	marshals := func(a goldenfiles.Answer) string {
		GinkgoHelper()
		text, err := json.Marshal(a.Value)
		Expect(err).NotTo(HaveOccurred())
		return string(text)
	}

	It("what they hold", func() {
		a, err := ask("ls", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(a.Text, "\n")).To(Equal(2))
		Expect(a.Differs).To(BeFalse())
		Expect(marshals(a)).To(ContainSubstring(`"path":"a/testdata/golden/digits.json"`))
		text("b/testdata/golden/deep/digits.json", "")
		a, err = ask("ls", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Differs).To(BeFalse(), "to look is not to judge")
	})
	It("whether they match their checksums", func() {
		a, err := ask("verify", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(Equal("golden files that match their checksums: 2 of 2\n"))
		Expect(a.Differs).To(BeFalse())
		text("b/testdata/golden/deep/digits.json", "[")
		a, err = ask("verify", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(MatchRegexp("^b/testdata/golden/deep/digits.json: .+\ngolden files that " +
			"match their checksums: 1 of 2\n$"))
		Expect(a.Differs).To(BeTrue())
	})
	DescribeTable("and where there are none, nothing can be said", func(name, says string) {
		Expect(os.Mkdir("empty", 0o755)).To(Succeed())
		a, err := ask(name, goldenfiles.Question{Paths: []string{"empty"}})
		Expect(err).To(MatchError(ContainSubstring(says)))
		Expect(a).To(BeZero())
	},
		Entry(nil, "ls", "no golden file under empty: golden files are in folders named testdata/golden"),
		Entry(nil, "verify", "no golden file under empty"),
		Entry(nil, "diff", "no run with -golden.update=diff has used a golden file under empty"),
		Entry(nil, "accept", "no run with -golden.update=diff has used a golden file under empty"),
	)
	It("what the last run would change, and to take it", func() {
		propose(5)
		a, err := ask("diff", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(And(HavePrefix("golden would be rewritten: a/testdata/golden/digits.json\n"),
			HaveSuffix("\ngolden files: 1 would change, 1 not used by any run\n")))
		Expect(a.Differs).To(BeTrue())
		Expect(a.Changes).To(HaveLen(1))
		Expect(marshals(a)).To(ContainSubstring(`"state":"differs"`))

		a, err = ask("accept", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(And(HavePrefix("golden rewritten: a/testdata/golden/digits.json, x of "),
			HaveSuffix("golden: summary for a pull request: "+goldentree.Summary()+"\n")))
		Expect(a.Changes).To(HaveLen(1))
		a, err = ask("diff", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(
			Equal("golden files: 1 accepted, 1 not used by any run\n"))
		Expect(a.Differs).To(BeFalse())
		a, err = ask("accept", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(Equal("golden: nothing to accept: the last run matches its golden files\n"))
		Expect(marshals(a)).To(Equal("[]"))
	})
	It("what moved within tolerance, where all is asked for", func() {
		propose(1)
		a, err := ask("diff", goldenfiles.Question{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(HavePrefix("golden files: 1 matching within tolerance but not exactly"))
		Expect(a.Differs).To(BeFalse())
		Expect(a.Changes).To(BeEmpty())
		a, err = ask("diff", goldenfiles.Question{All: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(HavePrefix("golden kept: a/testdata/golden/digits.json\n"))
		Expect(a.Differs).To(BeTrue())
		a, err = ask("accept", goldenfiles.Question{All: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Changes).To(HaveLen(1))
	})
	It("whether one changed after the run", func() {
		propose(5)
		write("c.json")
		Expect(os.Rename("c.json", "a/testdata/golden/digits.json")).To(Succeed())
		text("a/testdata/golden/digits.json", contents("a/testdata/golden/digits.json")+"\n")
		a, err := ask("diff", goldenfiles.Question{Paths: []string{"a"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(Equal("golden stale: a/testdata/golden/digits.json changed after the run " +
			"with -golden.update=diff; repeat the review: go test ./... -golden.update=diff\n" +
			"golden files: 1 changed after the run\n"))
		Expect(a.Differs).To(BeTrue())
	})
	It("how to go on after deleting one with its spec", func() {
		propose(5)
		Expect(os.Remove("a/testdata/golden/digits.json")).To(Succeed())
		a, err := ask("diff", goldenfiles.Question{Paths: []string{"a"}})
		Expect(err).NotTo(HaveOccurred())
		told := regexp.MustCompile(`; if you deleted the golden file and its spec, delete (\S+) too\n`)
		entry := told.FindStringSubmatch(a.Text)
		Expect(entry).To(HaveLen(2), a.Text)
		_, err = ask("accept", goldenfiles.Question{})
		Expect(err).To(MatchError(ContainSubstring("delete " + entry[1] + " too")))
		Expect(os.Remove(entry[1])).To(Succeed())
		_, err = ask("diff", goldenfiles.Question{})
		Expect(err).To(MatchError(ContainSubstring("no run with -golden.update=diff has used")))
	})
})
