package engines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
)

// records are the files that sums are kept in.
func records(t *testing.T) []string {
	t.Helper()
	cache, err := os.UserCacheDir()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	found, err := filepath.Glob(filepath.Join(cache, "modelparity", "sums", "*.json"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return found
}

// settled writes a file and waits until its sum may be kept.
func settled(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "library")
	NewWithT(t).Expect(os.WriteFile(path, []byte(data), 0o600)).To(Succeed())
	time.Sleep(2100 * time.Millisecond)
	return path
}

func TestASumIsKeptUntilTheFileChanges(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	path := settled(t, "code")
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))))
	kept := records(t)
	g.Expect(kept).To(HaveLen(1))

	// What is kept is believed: the file is not read again.
	text, err := os.ReadFile(kept[0])
	g.Expect(err).NotTo(HaveOccurred())
	mark := strings.Repeat("ab", 32)
	forged := strings.Replace(string(text), sumOf([]byte("code")), mark, 1)
	g.Expect(os.WriteFile(kept[0], []byte(forged), 0o600)).To(Succeed())
	g.Expect(engines.Sum(path)).To(Equal(mark))

	// A change of the same length that sets the time of change back is noticed all the same.
	info, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(path, []byte("evil"), 0o600)).To(Succeed())
	g.Expect(os.Chtimes(path, info.ModTime(), info.ModTime())).To(Succeed())
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("evil"))))
}

func TestASumOfAFileThatJustChangedIsNotKept(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	path := filepath.Join(t.TempDir(), "library")
	g.Expect(os.WriteFile(path, []byte("code"), 0o600)).To(Succeed())
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))))
	g.Expect(records(t)).To(BeEmpty())
}

func TestADamagedRecordIsNotBelieved(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	path := settled(t, "code")
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))))
	kept := records(t)[0]
	whole, err := os.ReadFile(kept)
	g.Expect(err).NotTo(HaveOccurred())
	for _, damage := range []string{"", "{", "null", "[]", string(whole[:len(whole)/2]),
		strings.Replace(string(whole), sumOf([]byte("code")), "none", 1)} {
		g.Expect(os.WriteFile(kept, []byte(damage), 0o600)).To(Succeed())
		g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))), damage)
	}
}

func TestASumNeedsNoCache(t *testing.T) {
	g := NewWithT(t)
	path := settled(t, "code")
	t.Setenv("XDG_CACHE_HOME", path) // a file, so nothing can be made below it
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))))
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	g.Expect(engines.Sum(path)).To(Equal(sumOf([]byte("code"))))
}

func TestASumIsOfRegularFiles(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	_, err := engines.Sum(t.TempDir())
	g.Expect(err).To(MatchError(ContainSubstring("not a regular file but a folder")))
	_, err = engines.Sum(filepath.Join(t.TempDir(), "absent"))
	g.Expect(err).To(MatchError(os.ErrNotExist))
}
