package ortcache_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/ortcache"
)

// python is an interpreter whose `pip download` runs the given shell lines in the --dest folder.
func python(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nwhile [ \"$1\" != --dest ]; do shift; done\ncd \"$2\"\n" + lines + "\n"
	NewWithT(t).Expect(os.WriteFile(path, []byte(script), 0o755)).To(Succeed())
	return path
}

// wheel is a wheel with the given members.
func wheel(t *testing.T, members map[string]string) string {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "onnxruntime.whl")
	file, err := os.Create(path)
	g.Expect(err).NotTo(HaveOccurred())
	archive := zip.NewWriter(file)
	for name, text := range members {
		member, err := archive.Create(name)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = member.Write([]byte(text))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(archive.Close()).To(Succeed())
	g.Expect(file.Close()).To(Succeed())
	return path
}

// emptyCache is a cache of the test's own; it gives the folder that the library belongs into.
func emptyCache(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	path, err := ortcache.Path()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return filepath.Dir(path)
}

func TestPathNamesVersionAndMachine(t *testing.T) {
	NewWithT(t).Expect(emptyCache(t)).To(HaveSuffix(filepath.Join("modelparity", "onnxruntime",
		ortcache.Version, runtime.GOOS+"-"+runtime.GOARCH)))
}

func TestFetchKeepsOnlyTheLibraryAndItsLicence(t *testing.T) {
	g := NewWithT(t)
	folder := emptyCache(t)
	name := ortcache.LibraryName()
	whole := wheel(t, map[string]string{"onnxruntime/capi/" + name: "machine code",
		"onnxruntime/capi/other.so": "x", "onnxruntime/LICENSE": "MIT"})
	pip := python(t, "echo run >> "+filepath.Join(t.TempDir(), "runs")+"; cp "+whole+" .")
	path, err := ortcache.Fetch(t.Context(), pip)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(path).To(Equal(filepath.Join(folder, name)))
	g.Expect(os.ReadFile(path)).To(BeEquivalentTo("machine code"))
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(ConsistOf(path, filepath.Join(folder, "LICENSE")))

	g.Expect(ortcache.Fetch(t.Context(), "/nonexistent")).To(Equal(path), "it is there already")
}

func TestFetchThatFailsLeavesNothing(t *testing.T) {
	for reason, row := range map[string]struct{ lines, expected string }{
		"pip fails":          {"echo no matching distribution; exit 1", "no matching distribution"},
		"pip leaves nothing": {"true", "pip left 0 wheels in place of one"},
		"the wheel is cut":   {"echo PK > onnxruntime.whl", "onnxruntime.whl: zip: not a valid"},
		"the wheel has no library": {"cp " + wheel(t, map[string]string{"README": "x"}) + " .",
			"onnxruntime.whl: holds no libonnxruntime."},
	} {
		t.Run(reason, func(t *testing.T) {
			g := NewWithT(t)
			folder := emptyCache(t)
			_, err := ortcache.Fetch(t.Context(), python(t, row.lines))
			g.Expect(err).To(MatchError(ContainSubstring(row.expected)))
			left, err := os.ReadDir(folder)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left).To(BeEmpty())
		})
	}
}
