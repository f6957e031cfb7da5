package engines_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/pip"
)

// python is an interpreter whose `pip download` runs the given shell lines in the --dest folder.
func python(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nwhile [ \"$1\" != --dest ]; do shift; done\ncd \"$2\"\n" + lines + "\n"
	NewWithT(t).Expect(os.WriteFile(path, []byte(script), 0o755)).To(Succeed())
	return path
}

// wheelName is the file name of the wheel of the tests' engine.
const wheelName = "engine-1.2-cp312-cp312-manylinux_2_28_x86_64.whl"

// wheel writes a wheel with the given members, and gives its path.
func wheel(t *testing.T, members map[string]string) string {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), wheelName)
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

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// engineOf is an engine of two files in the wheel at path, of which libengine.so is opened.
func engineOf(t *testing.T, path string) engines.Engine {
	t.Helper()
	data, err := os.ReadFile(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return engines.Engine{Name: "engine", Version: "1.2", Title: "Engine",
		Packages: map[string]engines.Package{engines.Platform(): {
			Wheel:   pip.Wheel{File: wheelName, SHA256: sumOf(data)},
			Library: "libengine.so",
			Files: []engines.File{{Member: "engine/lib/libengine.so", SHA256: sumOf([]byte("code"))},
				{Member: "engine/lib/libplugin.so", SHA256: sumOf([]byte("plugin"))}},
			Notices: []string{"engine/LICENSE"},
		}}}
}

// members are what the tests' engine is made of.
func members() map[string]string {
	return map[string]string{"engine/lib/libengine.so": "code", "engine/lib/libplugin.so": "plugin",
		"engine/lib/other.so": "x", "engine/LICENSE": "MIT"}
}

// emptyCache is a cache of the test's own.
func emptyCache(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
}

func TestFetchKeepsTheFilesOfTheCatalogueAndTheLicence(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	whole := wheel(t, members())
	engine := engineOf(t, whole)
	_, err := engine.Library()
	g.Expect(err).To(MatchError(fs.ErrNotExist))

	var notes bytes.Buffer
	path, err := engine.Fetch(t.Context(), python(t, "cp "+whole+" ."), &notes)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(notes.String()).To(BeEmpty())
	g.Expect(engine.Path()).To(Equal(path))
	folder := filepath.Dir(path)
	g.Expect(folder).To(HaveSuffix(filepath.Join("modelparity", "engine", "1.2",
		strings.ReplaceAll(engines.Platform(), "/", "-"))))
	var names []string
	left, err := os.ReadDir(folder)
	g.Expect(err).NotTo(HaveOccurred())
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	g.Expect(names).To(ConsistOf("libengine.so", "libplugin.so", "LICENSE"))
	g.Expect(engine.Fetch(t.Context(), "/nonexistent", &notes)).To(Equal(path), "it is there already")
}

func TestADamagedFileIsNoticedAndFetchedAgainWithOneLine(t *testing.T) {
	whole := wheel(t, members())
	for name, damage := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 1) },
		"flipped": func(path string) error { return os.WriteFile(path, []byte("cODe"), 0o600) },
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"linked": func(path string) error {
			moved := path + ".moved"
			return errors.Join(os.Rename(path, moved), os.Symlink(moved, path))
		},
		"a folder": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		},
	} {
		for _, file := range []string{"libengine.so", "libplugin.so"} {
			t.Run(name+" "+file, func(t *testing.T) {
				g := NewWithT(t)
				emptyCache(t)
				engine := engineOf(t, whole)
				pip := python(t, "cp "+whole+" .")
				path, err := engine.Fetch(t.Context(), pip, io.Discard)
				g.Expect(err).NotTo(HaveOccurred())

				damaged := filepath.Join(filepath.Dir(path), file)
				g.Expect(damage(damaged)).To(Succeed())
				_, err = engine.Library()
				g.Expect(err).To(MatchError(engines.ErrDamaged))
				g.Expect(err).To(MatchError(MatchRegexp("^Engine 1.2 in the cache is damaged: " +
					damaged + " (has the sha256 |is not a regular file)")))

				var notes bytes.Buffer
				g.Expect(engine.Fetch(t.Context(), pip, &notes)).To(Equal(path))
				g.Expect(notes.String()).To(MatchRegexp(`^Engine 1\.2 .* fetching it again\n$`))
				g.Expect(engine.Library()).To(Equal(path))
				if moved := damaged + ".moved"; name == "linked" { // what it led to is as it was
					info, err := os.Lstat(damaged)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(info.Mode().IsRegular()).To(BeTrue())
					g.Expect(moved).To(BeAnExistingFile())
				}
			})
		}
	}
}

func TestFetchRefusesWhatIsNotPinned(t *testing.T) {
	whole := wheel(t, members())
	other := wheel(t, map[string]string{"engine/lib/libengine.so": "evil",
		"engine/lib/libplugin.so": "plugin", "engine/LICENSE": "MIT"})
	none := wheel(t, map[string]string{"README": "x"})
	for reason, row := range map[string]struct {
		engine          engines.Engine
		lines, expected string
	}{
		"pip fails": {engineOf(t, whole), "echo no matching distribution; exit 1",
			"no matching distribution"},
		"pip leaves nothing": {engineOf(t, whole), "true", "pip did not save " + wheelName},
		"another wheel": {engineOf(t, whole), "cp " + other + " .",
			"the package index returned a different file"},
		"the wheel is cut": {engineOf(t, whole), "echo PK > " + wheelName,
			"the package index returned a different file"},
		"the wheel holds another library": {engineOf(t, other), "cp " + other + " .",
			"engine/lib/libengine.so has the sha256 "},
		"the wheel has no library": {engineOf(t, none), "cp " + none + " .",
			wheelName + ": engine/LICENSE is missing"},
	} {
		t.Run(reason, func(t *testing.T) {
			g := NewWithT(t)
			emptyCache(t)
			_, err := row.engine.Fetch(t.Context(), python(t, row.lines), io.Discard)
			g.Expect(err).To(MatchError(ContainSubstring(row.expected)))
			path, err := row.engine.Path()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(path).NotTo(BeAnExistingFile())
			g.Expect(filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))).To(BeEmpty())
		})
	}
}

func TestManyMayFetchAtOnce(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	whole := wheel(t, members())
	engine, pip := engineOf(t, whole), python(t, "sleep 0.1; cp "+whole+" .")
	var wait sync.WaitGroup
	failures := make([]error, 8)
	for i := range failures {
		wait.Go(func() { _, failures[i] = engine.Fetch(t.Context(), pip, io.Discard) })
	}
	wait.Wait()
	for _, err := range failures {
		g.Expect(err).NotTo(HaveOccurred())
	}
	path, err := engine.Library()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))).To(BeEmpty())
}

func TestAPlatformWithoutAWheelIsSaid(t *testing.T) {
	g := NewWithT(t)
	emptyCache(t)
	engine := engines.Engine{Name: "engine", Version: "1.2", Title: "Engine"}
	_, err := engine.Fetch(t.Context(), "", io.Discard)
	g.Expect(err).To(MatchError(engines.ErrNoPackage))
	g.Expect(err).To(MatchError(fmt.Sprintf("Engine 1.2: no wheel for this platform (%s)",
		engines.Platform())))
}
