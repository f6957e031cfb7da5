package golden_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/goldentree"
)

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
		Expect(goldentree.AcceptCommand()).To(Equal("go test -v ./example_test/digits -golden.update"))
	})
	It("in the root itself is for that package", func() {
		in(module())
		Expect(goldentree.AcceptCommand()).To(Equal("go test -v . -golden.update"))
	})
	It("can be pasted into a shell", func() {
		in(filepath.Join(module(), "it's mine"))
		Expect(goldentree.AcceptCommand()).To(Equal(`go test -v './it'\''s mine' -golden.update`))
	})
	It("outside any module reaches every package", func() {
		in(GinkgoT().TempDir())
		Expect(goldentree.AcceptCommand()).To(Equal("GOLDEN_UPDATE=1 go test -v ./..."))
	})
})
