package golden_test

import (
	"flag"
	"os"
	"path/filepath"

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
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		GinkgoT().Setenv("TMPDIR", GinkgoT().TempDir())
		for _, name := range []string{"read", "written", "old", "deep/old", "damaged"} {
			Expect(golden.Write(path(name), run, golden.Options{})).To(Succeed())
		}
		Expect(os.Truncate(path("damaged"), 100)).To(Succeed())
		// What users put there: a run they saved, and something else.
		Expect(golden.WriteRuns(path("saved"), []golden.Named{{Name: "r", Run: run}})).To(Succeed())
		Expect(os.WriteFile(path("other"), []byte("{}"), 0o600)).To(Succeed())
	})
	suite := func() {
		GinkgoHelper()
		_, err := golden.Read(path("read"))
		Expect(err).NotTo(HaveOccurred())
		_, err = golden.Update(path("written"), run, golden.Options{})
		Expect(err).NotTo(HaveOccurred())
	}

	It("deletes those that no spec used, in mode clean", func() {
		asked("clean")
		suite()
		removed, err := golden.RemoveUnused(true)
		Expect(err).NotTo(HaveOccurred())
		Expect(removed).To(ConsistOf(path("old"), path("deep/old")))
		left, err := filepath.Glob(filepath.Join(golden.Folder, "*.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(left).To(ConsistOf(path("read"), path("written"), path("damaged"), path("saved"),
			path("other")))
	})

	It("deletes nothing in another mode", func() {
		asked("1")
		suite()
		Expect(golden.RemoveUnused(true)).To(BeEmpty())
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("deletes nothing where not every spec ran", func() {
		asked("clean")
		suite()
		_, err := golden.RemoveUnused(false)
		Expect(err).To(MatchError(ContainSubstring("not every spec of the suite ran and passed")))
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("deletes nothing where a flag chose among the specs", func() {
		asked("clean")
		suite()
		before := flag.Lookup("ginkgo.focus-file").Value.String()
		Expect(before).To(BeElementOf("", "[]"))
		Expect(flag.Set("test.short", "true")).To(Succeed())
		DeferCleanup(flag.Set, "test.short", "false")
		_, err := golden.RemoveUnused(true)
		Expect(err).To(MatchError(ContainSubstring("-test.short chose among the specs")))
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("deletes nothing where no spec used a golden file: that is no suite of golden files", func() {
		asked("clean")
		_, err := golden.RemoveUnused(true)
		Expect(err).To(MatchError(ContainSubstring("no spec used a golden file")))
		Expect(path("old")).To(BeAnExistingFile())
	})

	It("knows what the other processes of the suite used", func() {
		asked("clean")
		_, err := golden.Read(path("old"))
		Expect(err).NotTo(HaveOccurred())
		golden.ForgetAll() // as in another process of the same parent
		asked("clean")
		suite()
		Expect(golden.RemoveUnused(true)).To(ConsistOf(path("deep/old")))
	})
})

var _ = Describe("The command that accepts a change", func() {
	in := func(folder string) {
		GinkgoHelper()
		Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
		GinkgoT().Chdir(folder)
	}
	module := func() string {
		GinkgoHelper()
		root := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(root, "go.mod"), []byte("module x\n"), 0o600)).To(Succeed())
		return root
	}

	It("names the package, from the module's root", func() {
		in(filepath.Join(module(), "example_test", "digits"))
		Expect(golden.AcceptCommand()).To(Equal("go test -v ./example_test/digits -golden.update"))
	})
	It("in the root itself is for that package", func() {
		in(module())
		Expect(golden.AcceptCommand()).To(Equal("go test -v . -golden.update"))
	})
	It("can be pasted into a shell", func() {
		in(filepath.Join(module(), "it's mine"))
		Expect(golden.AcceptCommand()).To(Equal(`go test -v './it'\''s mine' -golden.update`))
	})
	It("outside any module reaches every package", func() {
		in(GinkgoT().TempDir())
		Expect(golden.AcceptCommand()).To(Equal("GOLDEN_UPDATE=1 go test -v ./..."))
	})
})
