//go:build !windows

package engines_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
)

func TestALibraryThatIsCutShortIsNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only ELF files are looked at")
	}
	g := NewWithT(t)
	program, err := os.Executable() // an ELF file, as a library is
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(engines.Whole(program)).To(Succeed())
	data, err := os.ReadFile(program)
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(t.TempDir(), "cut.so")
	for _, size := range []int{1000, 64, len(data) / 2} {
		g.Expect(os.WriteFile(path, data[:size], 0o600)).To(Succeed())
		g.Expect(engines.Whole(path)).To(MatchError(MatchRegexp(
			"^%s is damaged: it has %d bytes, but its segments end at [0-9]+$", path, size)))
	}
	// What has no head is the loader's to name.
	for _, text := range []string{"", "INPUT(libm.so)", string(data[:63]), "\x7fELF"} {
		g.Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		g.Expect(engines.Whole(path)).To(Succeed())
	}
	g.Expect(engines.Whole(filepath.Join(t.TempDir(), "absent"))).To(Succeed())
	g.Expect(engines.Whole("libonnxruntime.so.1")).To(Succeed())
}

func TestAPipeIsNoLibrary(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "pipe")
	g.Expect(syscall.Mkfifo(path, 0o600)).To(Succeed())
	g.Expect(engines.Whole(path)).To(MatchError(path + " is not a regular file"))
	_, err := engines.Sum(path)
	g.Expect(err).To(MatchError("open " + path + ": not a regular file but a pipe"))
}
