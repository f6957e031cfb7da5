//go:build linux || darwin

package regular_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/regular"
)

// others are files that are not regular, by what an error calls them.
func others(t *testing.T, folder string) map[string]string {
	g := NewWithT(t)
	at := func(name string) string { return filepath.Join(folder, name) }
	g.Expect(syscall.Mkfifo(at("pipe"), 0o600)).To(Succeed())
	g.Expect(os.Mkdir(at("folder"), 0o700)).To(Succeed())
	all := map[string]string{"folder": "a folder", "pipe": "a pipe"}
	for name, to := range map[string]string{"zero": "/dev/zero", "null": "/dev/null",
		"to-pipe": "pipe", "pagemap": "/proc/self/pagemap", "status": "/proc/self/status"} {
		kind := "a device"
		switch {
		case to == "pipe":
			kind = "a pipe"
		case filepath.Dir(to) == "/proc/self" && runtime.GOOS != "linux":
			continue
		case filepath.Dir(to) == "/proc/self":
			kind = "a file that the system generates"
		}
		g.Expect(os.Symlink(to, at(name))).To(Succeed())
		all[name] = kind
	}
	return all
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	g.Expect(err).NotTo(HaveOccurred())
	defer root.Close()
	for name, kind := range others(t, folder) {
		want := "not a regular file but " + kind
		done := make(chan bool)
		go func() {
			defer close(done)
			_, err := regular.Open(filepath.Join(folder, name))
			g.Expect(err).To(MatchError(HaveSuffix(": "+want)), name)
			_, err = regular.Read(filepath.Join(folder, name))
			g.Expect(err).To(MatchError(HaveSuffix(": "+want)), name)
			_, err = regular.OpenBelow(root, name)
			g.Expect(err).To(HaveOccurred(), name) // a device lies out of the folder, too
		}()
		g.Eventually(done, time.Minute).Should(BeClosed(), name)
	}
}

func TestRegularFilesAreReadWholeAndByLinks(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	g.Expect(os.Symlink("file", filepath.Join(folder, "link"))).To(Succeed())
	for _, content := range []string{"", "content"} {
		g.Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		for _, name := range []string{"file", "link"} {
			data, err := regular.Read(filepath.Join(folder, name))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(data)).To(Equal(content))
		}
	}
	_, err := regular.Read(filepath.Join(folder, "absent"))
	g.Expect(err).To(MatchError(fs.ErrNotExist))
	g.Expect(err.Error()).To(HavePrefix("open "))
}
