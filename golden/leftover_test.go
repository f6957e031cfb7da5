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
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

const pointer = `version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
`

var _ = DescribeTable("What version control leaves in a golden file's place",
	func(text func(string) string, says string) {
		path := temporary("digits.json")
		left := text(contents("testdata/digits.json"))
		Expect(os.WriteFile(path, []byte(left), 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(And(HavePrefix("golden: "+path), ContainSubstring(says))))
		_, err = runs.ReadRuns(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring(says)))
		for _, mode := range []string{"1", "all", "diff"} {
			asked(mode)
			_, err = golden.Update(path, runOf(every()), golden.Options{})
			Expect(err).To(MatchError(ContainSubstring(says)))
			Expect(goldentree.IsProtected(err)).To(BeTrue(), "so no message offers to write over it")
			Expect(contents(path)).To(Equal(left))
		}
	},
	Entry("a Git LFS pointer", func(string) string { return pointer },
		"is a Git LFS pointer without its content: run git lfs pull"),
	Entry("a merge conflict", func(text string) string {
		return "<<<<<<< HEAD\n" + text + "=======\n" + text + ">>>>>>> other\n"
	}, "has a merge conflict at line 1"),
	Entry("both sides of one line", func(text string) string {
		return strings.Replace(text, "  \"format\": 2,\n",
			"<<<<<<< ours\n  \"format\": 2,\n=======\n  \"format\": 1,\n>>>>>>> theirs\n", 1)
	}, "at line 3"),
	Entry("both sides of the data, with the base", func(text string) string {
		return strings.Replace(text, "\"lst\"", "<<<<<<< a\n"+strings.Repeat("x", 1<<17)+
			"\n||||||| b\n=======\n>>>>>>> c\n\"lst\"", 1)
	}, "has a merge conflict"),
)

var _ = Describe("A Git LFS pointer in the place of other saved runs", func() {
	DescribeTable("is named", func(name string) {
		path := temporary(name)
		Expect(os.WriteFile(path, []byte(pointer), 0o600)).To(Succeed())
		_, err := runs.ReadRuns(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring("run git lfs pull")))
	}, Entry(nil, "x.npz"), Entry(nil, "x.json"), Entry(nil, "x.safetensors"), Entry(nil, "x.pb"))
})

var _ = Describe("Two names that differ by capital letters", func() {
	run := runOf(must("x", tensor.Of[int8](1)))
	DescribeTable("are refused, read or written", func(first, second string) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		path := func(name string) string { return filepath.Join("testdata", "golden", name+".json") }
		Expect(golden.Write(path(first), run, golden.Options{})).To(Succeed())
		asked("1")
		_, err := golden.Update(path(second), run, golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("some file systems treat it and")))
		Expect(path(second)).NotTo(BeAnExistingFile())
		_, err = golden.Read(context.Background(), path(second))
		Expect(err).To(MatchError(ContainSubstring("some file systems treat it and")))
		_, err = golden.Read(context.Background(), path(first))
		Expect(err).NotTo(HaveOccurred())
	},
		Entry("files", "A", "a"),
		Entry("folders", "fp16/a", "FP16/b"),
		Entry("other alphabets", "Ä", "ä"),
	)
})
