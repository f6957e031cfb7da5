package golden_test

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Listing unused golden files", func() {
	run := runOf(must("x", tensor.Of[int8](1)))
	const records = "testdata/golden/.usage"
	path := func(name string) string {
		GinkgoHelper()
		p, err := goldentree.Path(name)
		Expect(err).NotTo(HaveOccurred())
		return p
	}
	write := func(name string) {
		GinkgoHelper()
		Expect(golden.Write(path(name), run, golden.Options{})).To(Succeed())
	}
	text := func(file, content string) {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
	}
	// A module with a package, in which the process runs as under go test.
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		text("go.mod", "module example.com/user\n")
		text("pkg/pkg_test.go", "package pkg\n")
		Expect(os.Chdir("pkg")).To(Succeed())
		for _, name := range []string{"used", "old", "deep/old", "damaged"} {
			write(name)
		}
		Expect(os.Truncate(path("damaged"), 100)).To(Succeed())
		// What users put there: a run they saved, and something else.
		Expect(runs.WriteRuns(path("saved"), []runs.Named{{Name: "r", Run: run}})).To(Succeed())
		text(path("other"), "{}")
		asked("usage")
		goldentree.TakeUses()
		setFlag("test.short", "false") // whichever of them this suite was given
		setFlag("test.run", "")
	})
	ran := func(spec string, names ...string) goldentree.SpecUse {
		GinkgoHelper()
		for _, name := range names {
			_, err := golden.Read(context.Background(), path(name))
			Expect(err).NotTo(HaveOccurred())
		}
		return goldentree.SpecUse{Text: spec, Ran: true, Files: goldentree.TakeUses()}
	}
	record := func(specs ...goldentree.SpecUse) {
		GinkgoHelper()
		Expect(endOfSuite(specs, "")).To(HaveField("Manifest",
			filepath.Join(filepath.FromSlash(records), goldentree.Platform()+".json")))
	}
	// listed records what the specs used, and gives the files that are listed then, with the reasons.
	listed := func(specs ...goldentree.SpecUse) map[string]string {
		GinkgoHelper()
		record(specs...)
		all, err := goldentree.FindUnused()
		Expect(err).NotTo(HaveOccurred())
		found := map[string]string{}
		for _, u := range all {
			found[u.File] = u.Why
			Expect(u.File).To(BeAnExistingFile(), "nothing is deleted")
		}
		return found
	}
	refused := func(why string, specs ...goldentree.SpecUse) {
		GinkgoHelper()
		_, err := endOfSuite(specs, "")
		Expect(err).To(MatchError(HavePrefix("golden: no manifest was written: " + why)))
		Expect(records).NotTo(BeADirectory())
		asked("1")
		Expect(endOfSuite(specs, "")).To(BeZero(), "nothing can be said")
	}
	// elsewhere makes this platform's manifest another platform's.
	elsewhere := func(name string) {
		GinkgoHelper()
		Expect(os.Rename(filepath.Join(records, goldentree.Platform()+".json"),
			filepath.Join(records, name+".json"))).To(Succeed())
	}

	It("names those that no spec used, and why, and leaves a manifest", func() {
		why := "no spec of the package used this file in the complete run on " + goldentree.Platform()
		Expect(listed(ran("a", "used"), ran("b"))).To(Equal(map[string]string{
			path("old"): why, path("deep/old"): why}))
		Expect(contents(filepath.Join(records, goldentree.Platform()+".json"))).To(And(
			ContainSubstring(`"a": [
      "testdata/golden/used.json"
    ]`), ContainSubstring(`"b": []`), ContainSubstring(`"unused": [
    "testdata/golden/deep/old.json",
    "testdata/golden/old.json"
  ]`)))
		Expect(listed(ran("a", "used", "old", "deep/old"))).To(BeEmpty())
	})

	It("says at the end of a suite what is unused, in any mode, and records nothing then", func() {
		asked("1")
		used := ran("a", "used")
		Expect(endOfSuite([]goldentree.SpecUse{used}, "")).To(Equal(goldentree.SuiteUse{
			Unused: []string{path("deep/old"), path("old")}}))
		Expect(records).NotTo(BeADirectory())
	})

	It("wants a complete run, and says what takes part in one", func() {
		all, err := goldentree.FindUnused()
		Expect(all).To(BeEmpty())
		Expect(err).To(MatchError("golden: no complete run has recorded what . uses: in a Ginkgo suite " +
			"with ginkgoreport.Suite(), run GOLDEN_UPDATE=usage go test .; plain tests cannot record"))
		record(ran("a", "used"))
		text("../plain/testdata/golden/x.json", "{}")
		GinkgoT().Chdir("..")
		all, err = goldentree.FindUnused()
		Expect(all).To(HaveLen(2), "of the package that has one")
		Expect(err).To(MatchError(ContainSubstring("run GOLDEN_UPDATE=usage go test ./plain; plain ")))
	})

	It("leaves out what a run on another platform used", func() {
		record(ran("on a GPU", "used", "old"))
		elsewhere("plan9-arm-gpu")
		Expect(listed(ran("a", "used"))).To(HaveExactKeys(path("deep/old")))
		asked("1")
		Expect(endOfSuite([]goldentree.SpecUse{ran("a", "used")}, "")).To(
			HaveField("Unused", []string{path("deep/old")}))
		Expect(goldentree.FindUnused(path("deep/old"))).To(HaveExactElements(HaveField("Why",
			HaveSuffix(" on "+goldentree.Platform()+", plan9-arm-gpu"))))
	})

	It("leaves out what came after the run", func() {
		record(ran("a", "used"))
		write("new")
		Expect(goldentree.FindUnused(path("new"))).To(BeEmpty())
	})

	It("lists nothing by a manifest of before, which says what was used alone", func() {
		text(records+"/default.json", `{"format": 1, "build": {"goos": "linux"}, "sources": "ab",
			"specs": {"made at run time": ["testdata/golden/old.json"]}}`)
		_, err := goldentree.FindUnused()
		Expect(err).To(MatchError(ContainSubstring("no complete run")))
		Expect(listed(ran("a", "used"))).To(HaveExactKeys(path("deep/old")))
	})

	It("is an error where a manifest is not one, and nothing is overwritten", func() {
		text(records+"/x.json", "[")
		_, err := goldentree.FindUnused()
		Expect(err).To(MatchError(ContainSubstring(filepath.FromSlash(records + "/x.json"))))
		text(records+"/x.json", `{"format": 2}`)
		_, err = endOfSuite([]goldentree.SpecUse{ran("a", "used")}, "")
		Expect(err).To(MatchError(ContainSubstring("format 2, but this modelparity reads format 1")))
	})

	It("counts a file read by OfFile, and what the suite's own nodes asked for at its end", func() {
		_, err := runs.ReadRuns(context.Background(), path("old")+"#0")
		Expect(err).NotTo(HaveOccurred())
		by := goldentree.SpecUse{Text: "by file", Ran: true, Files: goldentree.TakeUses()}
		_, err = golden.Read(context.Background(), path("deep/old"))
		Expect(err).NotTo(HaveOccurred())
		Expect(listed(by)).To(HaveExactKeys(path("used")))
	})

	It("counts both ends of a link", func() {
		Expect(os.Symlink("old.json", path("alias"))).To(Succeed())
		Expect(listed(ran("a", "used", "alias"))).To(HaveExactKeys(path("deep/old")))
	})

	It("knows from the last run what a skipped spec uses, and says where no run knows", func() {
		skipped := goldentree.SpecUse{Text: "needs a GPU"}
		why := "; skipped specs may use the file: \"needs a GPU\" and 0 more"
		for range 2 { // it is not known the second time either
			Expect(listed(ran("a", "used"), skipped)).To(HaveKeyWithValue(path("old"), HaveSuffix(why)))
		}
		Expect(endOfSuite([]goldentree.SpecUse{ran("a", "used"), skipped}, "")).To(
			HaveField("Unused", BeEmpty()))
		record(ran("a", "used"), ran("needs a GPU", "old"))
		for range 2 {
			Expect(listed(ran("a", "used"), skipped)).To(HaveExactKeys(path("deep/old")))
		}
	})

	It("records nothing of an incomplete run", func() {
		_, err := endOfSuite(nil, "not every spec passed")
		Expect(err).To(MatchError("golden: no manifest was written: not every spec passed"))
		asked("1")
		Expect(endOfSuite(nil, "not every spec passed")).To(BeZero())
	})

	It("records nothing where a flag selected some of the specs", func() {
		setFlag("test.short", "true")
		refused("-test.short selected only some specs")
	})

	It("records nothing where the folder is reached by a link, so that others may use it", func() {
		Expect(os.Rename("testdata", "../shared")).To(Succeed())
		Expect(os.Symlink("../shared", "testdata")).To(Succeed())
		refused("testdata/golden is a symbolic link or below one", ran("a", "used"))
	})

	It("records nothing where the package has plain tests next to its suite", func() {
		text("more_test.go", "package pkg\nimport \"testing\"\nfunc TestSuite(t *testing.T) {}\n"+
			"func TestMain(m *testing.M) {}\n")
		record(ran("a", "used"))
		Expect(os.RemoveAll(records)).To(Succeed())
		text("plain_test.go", "//go:build gpu\n\npackage pkg\nfunc TestPlain(t *testing.T) {}\n")
		refused("the package has TestPlain, TestSuite: it is unknown which golden files plain tests use")
	})

	It("has nothing to say of a package without golden files", func() {
		Expect(os.RemoveAll("testdata")).To(Succeed())
		Expect(endOfSuite(nil, "")).To(BeZero())
		Expect(goldentree.FindUnused()).To(BeEmpty())
		Expect("testdata").NotTo(BeAnExistingFile())
	})
})

// HaveExactKeys succeeds for a map of these keys and no other.
func HaveExactKeys(keys ...string) OmegaMatcher {
	return WithTransform(func(m map[string]string) (all []string) {
		for key := range m {
			all = append(all, key)
		}
		return all
	}, ConsistOf(keys))
}

// endOfSuite ends a suite as ginkgoreport does.
func endOfSuite(specs []goldentree.SpecUse, incomplete string) (goldentree.SuiteUse, error) {
	GinkgoHelper()
	mode, err := golden.Updating()
	Expect(err).NotTo(HaveOccurred())
	return goldentree.EndOfSuite(mode == golden.Usage, specs, incomplete)
}
