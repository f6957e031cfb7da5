package golden_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Removing unused golden files", func() {
	run := runOf(must("x", tensor.Of[int8](1)))
	path := func(name string) string {
		GinkgoHelper()
		p, err := golden.Path(name)
		Expect(err).NotTo(HaveOccurred())
		return p
	}
	git := func(args ...string) {
		GinkgoHelper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y",
			"-c", "commit.gpgsign=false"}, args...)...).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", out)
	}
	text := func(file, content string) {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
	}
	commit := func() {
		GinkgoHelper()
		git("add", "-A", "-f")
		git("commit", "-q", "--allow-empty", "-m", "x")
	}
	// A module with a package, in which the process runs as under go test.
	BeforeEach(func() {
		if _, err := exec.LookPath("git"); err != nil {
			Skip("without git nothing is ever cleaned")
		}
		GinkgoT().Chdir(GinkgoT().TempDir())
		git("init", "-q")
		text("go.mod", "module example.com/user\n")
		text("other/other.go", "package other\n")
		text("pkg/pkg_test.go", "package pkg\n")
		Expect(os.Chdir("pkg")).To(Succeed())
		for _, name := range []string{"used", "old", "deep/old", "damaged"} {
			Expect(golden.Write(path(name), run, golden.Options{})).To(Succeed())
		}
		Expect(os.Truncate(path("damaged"), 100)).To(Succeed())
		// What users put there: a run they saved, and something else.
		Expect(golden.WriteRuns(path("saved"), []golden.Named{{Name: "r", Run: run}})).To(Succeed())
		text(path("other"), "{}")
		commit()
		asked("usage")
		golden.TakeUses()
		setFlag("test.short", "false") // whichever of them this suite was given
		setFlag("test.run", "")
	})
	uses := func(names ...string) (files []string) {
		GinkgoHelper()
		for _, name := range names {
			_, err := golden.Read(path(name))
			Expect(err).NotTo(HaveOccurred())
		}
		return golden.TakeUses()
	}
	ran := func(spec string, names ...string) golden.SpecUse {
		GinkgoHelper()
		return golden.SpecUse{Text: spec, Ran: true, Files: uses(names...)}
	}
	// clean records what the specs used, and then removes what is not used.
	clean := func(specs ...golden.SpecUse) golden.Collected {
		GinkgoHelper()
		_, err := golden.EndOfSuite(specs, "")
		Expect(err).NotTo(HaveOccurred())
		all, err := golden.CollectUnused(false)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(1))
		Expect(all[0].Refused).To(BeEmpty())
		return all[0]
	}
	// refused wants either step to say why.
	refused := func(why string, specs ...golden.SpecUse) {
		GinkgoHelper()
		_, err := golden.EndOfSuite(specs, "")
		if err == nil {
			all, collecting := golden.CollectUnused(false)
			Expect(collecting).NotTo(HaveOccurred())
			err = errors.New(all[0].Refused)
		}
		Expect(err).To(MatchError(ContainSubstring(why)))
		Expect(path("old")).To(BeAnExistingFile())
	}

	// wide is a golden file with data beside it, and where that is.
	wide := func(name string, seed uint64) (file, data string) {
		GinkgoHelper()
		Expect(golden.Write(path(name), runOf(set("x", drawn(seed, 100))), small)).To(Succeed())
		folder := strings.TrimSuffix(path(name), ".json") + ".data"
		return path(name), filepath.Join(folder, aside(path(name))[0])
	}

	It("deletes the data beside them too, and never that of a file that stays", func() {
		used, usedData := wide("wide", 1)
		gone, goneData := wide("gone", 2)
		commit()
		cleaned := clean(ran("a", "used", "wide"))
		Expect(cleaned.Removed).To(ConsistOf(path("old"), path("deep/old"), gone, goneData))
		Expect(filepath.Dir(goneData)).NotTo(BeADirectory())
		Expect([]string{used, usedData}).To(HaveEach(BeAnExistingFile()))
	})

	It("keeps a file whose data git does not have", func() {
		gone, goneData := wide("gone", 2)
		git("add", "-f", gone)
		git("commit", "-q", "-m", "forgotten data")
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).NotTo(ContainElement(gone))
		Expect(cleaned.Kept).To(ContainElement(MatchRegexp(
			"gone.json: of its data .*npy.gz, git does not track it")))
		Expect(goneData).To(BeAnExistingFile())
	})

	It("deletes data that no golden file names, where git has it", func() {
		used, usedData := wide("used", 1)
		folder := filepath.Dir(usedData)
		tracked := filepath.Join(folder, strings.Repeat("a", 64)+".npy.gz")
		theirs := filepath.Join(folder, "notes.txt")
		text(tracked, "left by an interrupted update")
		text(theirs, "not ours")
		commit()
		untracked := filepath.Join(folder, strings.Repeat("b", 64)+".npy.gz")
		text(untracked, "of another branch, perhaps")
		conflict := filepath.Join(filepath.Dir(path("used")), "damaged.data",
			strings.Repeat("c", 64)+".npy.gz")
		text(conflict, "of a file that cannot be read")
		git("add", "-f", conflict)
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).To(ContainElement(tracked))
		Expect(cleaned.Removed).NotTo(ContainElements(usedData, untracked, theirs, conflict))
		Expect(cleaned.Kept).To(ContainElement(MatchRegexp(
			"b.npy.gz: no golden file names this data, but git does not track it; delete it by hand")))
		Expect([]string{used, usedData, untracked, theirs, conflict}).To(HaveEach(BeAnExistingFile()))
		Expect(golden.Read(path("used"))).NotTo(BeNil())
	})

	It("deletes those that nothing wants, and leaves a manifest of the others", func() {
		cleaned := clean(ran("a", "used"), ran("b"))
		Expect(cleaned.Removed).To(ConsistOf(path("old"), path("deep/old")))
		Expect(cleaned.Kept).To(BeEmpty())
		left, err := filepath.Glob(filepath.Join(golden.Folder, "*.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(left).To(ConsistOf(path("used"), path("damaged"), path("saved"), path("other")))
		Expect(contents("testdata/golden/.usage/default.json")).To(And(
			ContainSubstring(`"a": [
      "testdata/golden/used.json"
    ]`), ContainSubstring(`"b": []`), ContainSubstring(`"goos":`)))
		Expect(clean(ran("a", "used")).Removed).To(BeEmpty(), "a second time")
	})

	It("lists what is unused in any mode, and deletes and records nothing", func() {
		asked("1")
		used := ran("a", "used")
		Expect(golden.EndOfSuite([]golden.SpecUse{used}, "")).To(Equal(golden.SuiteUse{
			Unused: []string{path("deep/old"), path("old")}}))
		Expect("testdata/golden/.usage").NotTo(BeAnExistingFile())
		Expect(golden.CollectUnused(false)).To(HaveExactElements(HaveField("Refused",
			"no complete run of the configuration default has left testdata/golden/.usage/default.json; "+
				"make one: GOLDEN_UPDATE=usage go test ./.")))
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("counts a file read by OfFile, and every file of a folder", func() {
		_, err := golden.ReadRuns(path("old") + "#0")
		Expect(err).NotTo(HaveOccurred())
		by := golden.SpecUse{Text: "by file", Ran: true, Files: golden.TakeUses()}
		Expect(clean(by, ran("a", "used")).Removed).To(ConsistOf(path("deep/old")))
	})

	It("counts what the suite's own nodes asked for, after its last spec", func() {
		_, err := golden.Read(path("old"))
		Expect(err).NotTo(HaveOccurred())
		Expect(clean().Removed).NotTo(ContainElement(path("old")))
	})

	It("counts both ends of a link", func() {
		Expect(os.Symlink("old.json", path("alias"))).To(Succeed())
		commit()
		Expect(clean(ran("a", "used", "alias")).Removed).To(ConsistOf(path("deep/old")))
		Expect(path("alias")).To(BeAnExistingFile())
	})

	It("keeps what a link leads to that no spec asked for", func() {
		Expect(os.Symlink("pkg/testdata/golden/old.json", "../link.json")).To(Succeed())
		commit()
		Expect(clean(ran("a", "used"))).To(Equal(golden.Collected{Package: ".",
			Removed: []string{path("deep/old")},
			Kept:    []string{path("old") + ": the link link.json leads to it"}}))
	})

	keepsNamed := func(file, code string) {
		text(file, code)
		commit()
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).To(ConsistOf(path("deep/old")))
		Expect(cleaned.Kept).To(ConsistOf(HaveSuffix(" names it")))
	}
	DescribeTable("keeps what a Go file names, as a spec may that returned early", keepsNamed,
		Entry("by its name", "pkg_test.go", "package pkg\nvar _ = `x`\nvar name = \"old\"\n"),
		Entry("by its file", "more_test.go", "package pkg\nvar name = \"x/old.json\"\n"),
		Entry("from another package", "../other/other.go",
			"package other\nvar file = \"../pkg/testdata/golden/old.json\"\n"),
	)

	It("keeps what a spec used before that ran without asking", func() {
		clean(ran("a", "used", "old"), ran("b", "deep/old"))
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).To(ConsistOf(path("deep/old")), "b is gone")
		Expect(cleaned.Kept).To(ConsistOf(path("old") +
			`: "a" used it before and is still there; delete it by hand if it is done with`))
		Expect(clean(ran("a", "used")).Removed).To(BeEmpty(), "nor the next time")
	})

	It("deletes nothing of an incomplete run", func() {
		_, err := golden.EndOfSuite(nil, "not every spec passed")
		Expect(err).To(MatchError("golden: no manifest was written: not every spec passed"))
		Expect(path("old")).To(BeAnExistingFile())
		asked("1")
		Expect(golden.EndOfSuite(nil, "not every spec passed")).To(BeZero())
	})

	It("needs to know what a skipped spec uses, once", func() {
		skipped := golden.SpecUse{Text: "needs a GPU"}
		refused(`skipped, and no manifest knows what they use: "needs a GPU"`, ran("a", "used"), skipped)
		clean(ran("a", "used"), ran("needs a GPU", "old"))
		Expect(golden.Write(path("new"), run, golden.Options{})).To(Succeed())
		commit()
		Expect(clean(ran("a", "used"), skipped).Removed).To(ConsistOf(path("new")))
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("deletes nothing where a flag chose among the specs", func() {
		setFlag("test.short", "true")
		refused("-test.short chose among the specs")
	})

	Describe("of a package with several build configurations", func() {
		BeforeEach(func() {
			text("gpu_test.go", "//go:build gpu\n\npackage pkg\n")
			commit()
		})
		configurations := func(names string) { GinkgoT().Setenv(golden.EnvConfigurations, names) }
		// asGPU makes the manifest that a run with -tags gpu would leave.
		asGPU := func(specs ...golden.SpecUse) {
			GinkgoHelper()
			configurations("gpu")
			_, err := golden.EndOfSuite(specs, "")
			Expect(err).NotTo(HaveOccurred())
			const manifest = "testdata/golden/.usage/gpu.json"
			var edited map[string]any
			Expect(json.Unmarshal([]byte(contents(manifest)), &edited)).To(Succeed())
			build := edited["build"].(map[string]any)
			tags, _ := build["tags"].([]any) // the race detector is one
			build["tags"] = append(tags, "gpu")
			data, err := json.Marshal(edited)
			Expect(err).NotTo(HaveOccurred())
			text(manifest, string(data))
		}

		It("wants each Go file to be part of one that is named", func() {
			refused("gpu_test.go is not part of the build in default: make a complete run of a ")
		})
		It("wants a manifest of each", func() {
			configurations("cpu,gpu")
			refused("no complete run of the configuration gpu has left testdata/golden/.usage/gpu.json; " +
				"make one: GOLDEN_CONFIGURATIONS=gpu GOLDEN_UPDATE=usage go test ./.")
		})
		It("deletes what all of them leave out", func() {
			asGPU(ran("on a GPU", "old"))
			configurations("cpu,gpu")
			Expect(clean(ran("a", "used")).Removed).To(ConsistOf(path("deep/old")))
		})
		It("knows from another what a spec uses that is skipped in this", func() {
			asGPU(ran("a", "used"), ran("on a GPU", "old"))
			configurations("cpu,gpu")
			cleaned := clean(ran("a", "used"), golden.SpecUse{Text: "on a GPU"})
			Expect(cleaned.Removed).To(ConsistOf(path("deep/old")))
		})
		It("wants the manifests to be of these Go files", func() {
			asGPU(ran("on a GPU", "old"))
			text("gpu_test.go", "//go:build gpu\n\npackage pkg\n\nvar more int\n")
			configurations("cpu,gpu")
			refused("the manifest of the configuration gpu is of other Go files")
		})
		It("takes no path for a name", func() {
			configurations("../x")
			refused("is not a name")
		})
		It("leaves out what only go run takes", func() {
			Expect(os.Remove("gpu_test.go")).To(Succeed())
			text("generate.go", "//go:build ignore\n\npackage main\n")
			Expect(clean(ran("a", "used")).Removed).NotTo(BeEmpty())
		})
	})

	Describe("that others may use", func() {
		It("is refused where the folder is reached by a link", func() {
			Expect(os.Rename("testdata", "../shared")).To(Succeed())
			Expect(os.Symlink("../shared", "testdata")).To(Succeed())
			Expect(golden.EndOfSuite([]golden.SpecUse{ran("a", "used")}, "")).To(
				HaveField("Unused", BeEmpty()))
			Expect(golden.CollectUnused(false)).To(BeEmpty())
			Expect(golden.CollectUnused(false, "testdata")).To(HaveExactElements(HaveField("Refused",
				HavePrefix("testdata/golden is reached by a link, so other packages may use it"))))
			Expect(path("old")).To(BeAnExistingFile())
		})
		It("is refused where a link of the module leads to the folder", func() {
			Expect(os.Symlink("../pkg/testdata", "../other/testdata")).To(Succeed())
			refused("the link other/testdata leads to testdata/golden")
		})
		It("is refused where the package has plain tests beside its suite", func() {
			text("more_test.go", "package pkg\nimport \"testing\"\nfunc TestSuite(t *testing.T) {}\n"+
				"func TestMain(m *testing.M) {}\nfunc TestPlain(t *testing.T) {}\n")
			refused("the package has TestSuite, TestPlain: which golden files plain tests use is not known")
		})
		It("is refused outside a module", func() {
			Expect(os.Remove("../go.mod")).To(Succeed())
			refused("the package is in no module")
		})
	})

	DescribeTable("keeps what git could not give back", func(change func(), why string) {
		change()
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).To(ConsistOf(path("deep/old")))
		Expect(cleaned.Kept).To(ConsistOf(path("old") + ": " + why))
		Expect(path("old")).To(BeAnExistingFile())
	},
		Entry("untracked", func() { git("rm", "-q", "--cached", path("old")) }, "git does not track it"),
		Entry("changed since", func() {
			Expect(golden.Write(path("old"), runOf(must("x", tensor.Of[int8](2))), golden.Options{})).
				To(Succeed())
		}, "it is not as git has it"),
		Entry("changed, and git told to look away", func() {
			git("update-index", "--assume-unchanged", path("old"))
			Expect(golden.Write(path("old"), runOf(must("x", tensor.Of[int8](2))), golden.Options{})).
				To(Succeed())
		}, "it is not as git has it"),
		Entry("only announced to git", func() {
			git("rm", "-q", "--cached", path("old"))
			git("add", "-N", path("old"))
		}, "it is not as git has it"),
	)

	It("deletes nothing without a repository", func() {
		Expect(os.RemoveAll("../.git")).To(Succeed())
		cleaned := clean(ran("a", "used"))
		Expect(cleaned.Removed).To(BeEmpty())
		Expect(cleaned.Kept).To(HaveLen(2))
	})

	It("has nothing to say of a package without golden files", func() {
		Expect(os.RemoveAll("testdata")).To(Succeed())
		Expect(golden.EndOfSuite(nil, "")).To(BeZero())
		Expect(golden.CollectUnused(false)).To(BeEmpty())
		Expect("testdata").NotTo(BeAnExistingFile())
	})
})
