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
		goldentree.TakeUses()
		setFlag("test.short", "false") // whichever of them this suite was given
		setFlag("test.run", "")
	})
	use := func(names ...string) []string {
		GinkgoHelper()
		for _, name := range names {
			_, err := golden.Read(context.Background(), path(name))
			Expect(err).NotTo(HaveOccurred())
		}
		return goldentree.TakeUses()
	}

	It("names those that no spec used, and deletes nothing", func() {
		Expect(goldentree.Unused(use("used"))).To(Equal([]string{path("deep/old"), path("old")}))
		Expect(goldentree.Unused(use("used", "old", "deep/old"))).To(BeEmpty())
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("counts a file read by OfFile, and what the suite's own nodes asked for at its end", func() {
		_, err := runs.ReadRuns(context.Background(), path("old")+"#0")
		Expect(err).NotTo(HaveOccurred())
		by := goldentree.TakeUses()
		_, err = golden.Read(context.Background(), path("deep/old"))
		Expect(err).NotTo(HaveOccurred())
		Expect(goldentree.Unused(by)).To(Equal([]string{path("used")}))
	})

	It("counts both ends of a link", func() {
		Expect(os.Symlink("old.json", path("alias"))).To(Succeed())
		Expect(goldentree.Unused(use("used", "alias"))).To(Equal([]string{path("deep/old")}))
	})

	It("says nothing where a flag selected some of the specs", func() {
		setFlag("test.short", "true")
		Expect(goldentree.Unused(use("used"))).To(BeEmpty())
	})

	It("says nothing where the folder is reached by a link, so that others may use it", func() {
		Expect(os.Rename("testdata", "../shared")).To(Succeed())
		Expect(os.Symlink("../shared", "testdata")).To(Succeed())
		Expect(goldentree.Unused(use("used"))).To(BeEmpty())
	})

	It("says nothing where the package has plain tests next to its suite", func() {
		text("more_test.go", "package pkg\nimport \"testing\"\nfunc TestSuite(t *testing.T) {}\n"+
			"func TestMain(m *testing.M) {}\n")
		Expect(goldentree.Unused(use("used"))).NotTo(BeEmpty())
		text("plain_test.go", "//go:build gpu\n\npackage pkg\nfunc TestPlain(t *testing.T) {}\n")
		Expect(goldentree.Unused(use("used"))).To(BeEmpty())
	})

	It("has nothing to say of a package without golden files", func() {
		Expect(os.RemoveAll("testdata")).To(Succeed())
		Expect(goldentree.Unused(nil)).To(BeEmpty())
		Expect("testdata").NotTo(BeAnExistingFile())
	})
})
