package golden_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

var _ = Describe("A forged review", func() {
	const path = "pkg/testdata/golden/digits.json"
	var kept string // the checksum of a sound golden file in the review
	review := func(name string) string { return filepath.Join(os.Getenv(goldentree.EnvReview), name) }
	text := func(file, content string) {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
	}
	sum := func(file string) string {
		content, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		sum := sha256.Sum256(content)
		return hex.EncodeToString(sum[:])
	}
	// forge adds an entry that makes a file of the tree what the run gave.
	forge := func(name, file string, change map[string]any) {
		GinkgoHelper()
		entry, err := json.Marshal(map[string]any{"format": 1, "file": file, "was": sum(file),
			"is": kept, "change": change})
		Expect(err).NotTo(HaveOccurred())
		text(review("entries/"+name+".json"), string(entry))
	}
	differs := map[string]any{"kind": "rewritten", "verdict": "fail"}
	refused := func(says string) {
		GinkgoHelper()
		_, err := golden.Accept(context.Background(), true, ".")
		Expect(err).To(MatchError(ContainSubstring(says)))
		_, err = golden.Review(context.Background(), ".")
		Expect(err).To(MatchError(ContainSubstring(says)), "nor is it shown")
	}
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		text("go.mod", "module example.com/user\n")
		Expect(golden.Write(path, runOf(must("x", tensor.Of[float32](1, 2))), golden.Options{})).
			To(Succeed())
		asked("diff")
		_, err := golden.Update(path, runOf(must("x", tensor.Of[float32](1, 2.5))), golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		all, err := filepath.Glob(review("files/*.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(1))
		kept = strings.TrimSuffix(filepath.Base(all[0]), ".json")
		Expect(os.RemoveAll(review("entries"))).To(Succeed())
	})

	DescribeTable("writes no file that is in no place of golden files", func(file string) {
		for _, there := range []bool{false, true} {
			if there {
				text(file, `{"theirs": true}`)
			}
			before := sum(file)
			forge("x", file, differs)
			refused("cannot be a golden file")
			Expect(sum(file)).To(Equal(before))
		}
	},
		Entry(nil, "package.json"), Entry(nil, "tsconfig.json"), Entry(nil, ".vscode/settings.json"),
		Entry(nil, "pkg/testdata/other.json"), Entry(nil, "testdata/golden.json"),
		Entry(nil, "pkg/testdata/golden/.usage/linux-amd64.json"),
		Entry(nil, ".git/testdata/golden/x.json"), Entry(nil, "node_modules/a/testdata/golden/x.json"),
		Entry(nil, "pkg/testdata/golden/../../../package.json"),
		Entry(nil, "pkg/./testdata/golden/x.json"),
		Entry(nil, "pkg/testdata/golden/con.json"), Entry(nil, "pkg/testdata/golden/x.JSON"),
		Entry(nil, "pkg/TestData/golden/x.json"), Entry(nil, "pkg/testdata/golden/.json"),
		Entry(nil, "pkg/testdata/golden/..\\x.json"), Entry(nil, "/pkg/testdata/golden/x.json"),
		Entry(nil, "/testdata/golden/x.json"), Entry(nil, "pkg/testdata/golden/x\u200b.json"),
	)

	DescribeTable("writes over no file in their place that is not one", func(make func(file string),
		says string) {
		const file = "pkg/testdata/golden/config.json"
		make(file)
		before := contents(file)
		forge("x", file, differs)
		refused(says)
		Expect(contents(file)).To(Equal(before))
	},
		Entry("settings", func(file string) { text(file, `{"theirs": "modelparity"}`) },
			"it is not a golden file and is left unchanged: "),
		Entry("an empty file", func(file string) { text(file, "") }, "it is not a golden file"),
		Entry("a text", func(file string) { text(file, "modelparity") },
			"it is not a golden file"),
		Entry("a saved run", func(file string) {
			Expect(runs.WriteRuns(file, []runs.Named{{Name: "r",
				Run: runOf(must("x", tensor.Of[int8](1)))}})).To(Succeed())
		}, "it is a saved run"),
	)

	It("writes over nothing that is not a regular file", func() {
		Expect(os.Mkdir("pkg/testdata/golden/folder.json", 0o755)).To(Succeed())
		forge("x", "pkg/testdata/golden/folder.json", differs)
		refused("it is not a regular file")
		text("package.json", "{}")
		Expect(os.Symlink("../../../package.json", "pkg/testdata/golden/link.json")).To(Succeed())
		forge("x", "pkg/testdata/golden/link.json", differs)
		refused("its path contains a symbolic link")
		Expect(os.Symlink("gone.json", "pkg/testdata/golden/dangling.json")).To(Succeed())
		forge("x", "pkg/testdata/golden/dangling.json", differs)
		refused("it is not a regular file")
	})

	It("puts no data through a link", func() {
		outside := GinkgoT().TempDir()
		Expect(os.Symlink(outside, "pkg/testdata/golden/digits.data")).To(Succeed())
		forge("x", path, differs)
		refused("its path contains a symbolic link")
	})

	It("makes no file in a package that is not there, or next to one of almost its name", func() {
		forge("x", "nowhere/testdata/golden/x.json", differs)
		refused("the folder of the file's package does not exist")
		forge("x", "pkg/testdata/golden/Digits.json", differs)
		refused("some file systems treat it and")
	})

	DescribeTable("has one entry for a file", func(file string) {
		forge("x", path, differs)
		forge("y", file, differs)
		refused("both describe ")
	}, Entry(nil, path), Entry(nil, "pkg/testdata/golden/DIGITS.json"))

	ofPath := sha256.Sum256([]byte(path))
	DescribeTable("holds no links, which could lead to anything", func(name string, remove bool) {
		forge("x", path, differs)
		text("package.json", `{"theirs": true}`)
		if remove {
			Expect(os.Remove(review(name))).To(Succeed())
		}
		before := contents(path)
		target, err := filepath.Abs("package.json")
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Symlink(target, review(name))).To(Succeed())
		_, err = golden.Accept(context.Background(), false)
		if err != nil {
			Expect(contents(path)).To(Equal(before))
		}
		golden.ForgetAll()
		asked("diff")
		_, _ = golden.Update(path, runOf(must("x", tensor.Of[float32](3))), golden.Options{})
		Expect(contents("package.json")).To(Equal(`{"theirs": true}`))
	},
		Entry("instead of the summary", "summary.md", false),
		Entry("instead of the lock", "lock", true),
		Entry("instead of an entry", "entries/x.json", true),
		Entry("next to its entries", "entries/y.json", false),
		Entry("where a run writes its entry", "entries/"+hex.EncodeToString(ofPath[:8])+".json", false),
	)

	It("replaces what was kept by no link, whatever that leads to", func() {
		forge("x", path, differs)
		file := review("files/" + kept + ".json")
		Expect(os.Rename(file, review("moved.json"))).To(Succeed())
		Expect(os.Symlink(review("moved.json"), file)).To(Succeed())
		refused("the content that the run proposed is missing")
	})

	It("is read by no link, whatever that leads to", func() {
		forge("x", path, differs)
		Expect(os.Rename(review("entries/x.json"), review("x.json"))).To(Succeed())
		Expect(os.Symlink("../x.json", review("entries/x.json"))).To(Succeed())
		refused("is not a review entry")
	})

	It("changes nothing once it was looked at", func() {
		forge("x", path, differs)
		all, err := golden.Review(context.Background())
		Expect(err).NotTo(HaveOccurred())
		before := contents(path)
		text(path, before+"\n")
		Expect(golden.AcceptNow(all[0])).To(MatchError(ContainSubstring("changed during the review")))
		text(path, before)
		text(review("files/"+kept+".json"), "{}")
		Expect(golden.AcceptNow(all[0])).To(MatchError(ContainSubstring("it changed during the copy")))
		Expect(contents(path)).To(Equal(before))
	})

	It("is not read where an entry is larger than any", func() {
		text(review("entries/x.json"), strings.Repeat(" ", 1<<20)+"{}")
		refused("is not a review entry")
	})

	It("is shown by the numbers of the files, whatever the entry claims", func() {
		forge("x", path, map[string]any{"kind": "rewritten", "by": "digits match",
			"path": "elsewhere.json", "verdict": "pass", "reason": "moved by 1e-9",
			"moved": []map[string]any{{"output": "claimed", "iteration": 0, "max_abs": 1e-9,
				"max_rel": 1e-9, "verdict": "pass", "fails": "not at all"}},
			"is": map[string]any{"backend": "claimed", "version": "9"}, "damage": "claimed"})
		const says = "golden would be rewritten: pkg/testdata/golden/digits.json\n" +
			"  by          digits match\n" +
			"  verdict     fail\n" +
			"  made by     onnxruntime 1.31.1 (CPUExecutionProvider)\n" +
			"  output      x max abs 0.5, max rel 0.25\n" +
			"golden files: 1 would change\n"
		a := answered("diff")
		Expect(a.Text).To(Equal(says))
		Expect(json.Marshal(a.Value)).NotTo(ContainSubstring("claimed"))
		Expect(golden.Markdown(a.Changes)).NotTo(ContainSubstring("claimed"))
		Expect(golden.Accept(context.Background(), false)).To(HaveExactElements(HaveField("String()",
			"golden rewritten: pkg/testdata/golden/digits.json, max abs change 0.5 (x)")))
	})

	It("is shown with what a sample holds, on either side", func() {
		for _, samples := range [][2]int{{0, 10}, {10, 0}, {10, 10}} {
			was := golden.Options{Layout: golden.Layout{Sample: samples[0]}}
			Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), was)).To(Succeed())
			golden.ForgetAll()
			asked("diff")
			change, err := golden.Update(path, runOf(set("x", drawn(2, 100))),
				golden.Options{Layout: golden.Layout{Sample: samples[1]}})
			Expect(err).NotTo(HaveOccurred())
			all, err := golden.Review(context.Background())
			Expect(err).NotTo(HaveOccurred())
			Expect(all).To(HaveLen(1))
			Expect(all[0].Change.Moved[0].Reason).To(BeEmpty())
			if samples[0] > 0 { // else the run that was at hand had more than is kept of it
				Expect(all[0].Change.Moved).To(Equal(change.Moved))
			}
		}
	})

	It("of a file elsewhere is not made: it could not be accepted", func() {
		golden.ForgetAll()
		asked("diff")
		_, err := golden.Update("pkg/config.json", runOf(must("x", tensor.Of[int8](1))), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring(`pkg/config.json cannot be reviewed: ` +
			`"pkg/config.json" cannot be a golden file: golden files are in folders named ` +
			"testdata/golden; run with -golden.update to write it")))
	})
})
