package golden_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
)

var _ = Describe("The advice for git", func() {
	It("names the attributes that the repository lacks", func() {
		folder := GinkgoT().TempDir()
		Expect(golden.GitAdvice(folder)).To(BeEmpty(), "git does not know the folder")
		Expect(exec.Command("git", "init", "-q", folder).Run()).To(Succeed())
		advice := golden.GitAdvice(folder)
		Expect(advice).To(MatchRegexp(`^git: for golden files, add to .*\.gitattributes:\n`))
		_, lines, _ := strings.Cut(advice, ":\n")
		Expect(strings.Count(lines, "\n")).To(Equal(2))
		Expect(os.WriteFile(filepath.Join(folder, ".gitattributes"),
			[]byte(strings.ReplaceAll(lines, "    ", "")), 0o600)).To(Succeed())
		Expect(golden.GitAdvice(folder)).To(BeEmpty())
	})
})
