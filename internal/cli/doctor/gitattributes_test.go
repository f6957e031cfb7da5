package doctor_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/doctor"
)

func TestGitAdviceNamesTheAttributesThatTheRepositoryLacks(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	g.Expect(doctor.GitAdvice(folder)).To(BeEmpty(), "git does not know the folder")
	g.Expect(exec.Command("git", "init", "-q", folder).Run()).To(Succeed())
	advice := doctor.GitAdvice(folder)
	g.Expect(advice).To(MatchRegexp(`^git: for golden files, add to .*\.gitattributes:\n`))
	_, lines, _ := strings.Cut(advice, ":\n")
	g.Expect(strings.Count(lines, "\n")).To(Equal(2))
	g.Expect(os.WriteFile(filepath.Join(folder, ".gitattributes"),
		[]byte(strings.ReplaceAll(lines, "    ", "")), 0o600)).To(Succeed())
	g.Expect(doctor.GitAdvice(folder)).To(BeEmpty())
}
