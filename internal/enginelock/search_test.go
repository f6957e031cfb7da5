package enginelock_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/enginelock"
)

func TestSearchTakesTheFirstUsableLibrary(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	at := func(name string) string {
		path := filepath.Join(folder, name)
		g.Expect(os.WriteFile(path, []byte(name), 0o600)).To(Succeed())
		return path
	}
	old, good, later := at("old"), at("good"), at("later")

	usable := func(path string) error {
		if path == old {
			return errors.New("too old")
		}
		_, err := os.Stat(path)
		return err
	}
	var c enginelock.Choice
	path, reasons := c.Search(usable, []string{old, good, later})
	g.Expect(path).To(Equal(good))
	g.Expect(reasons).To(BeEmpty())
	path, reasons = c.Search(usable, []string{old})
	g.Expect(path).To(BeEmpty())
	g.Expect(reasons).To(Equal([]string{"too old"}))
	c.Lock = "modelparity.lock" // which names none of them
	path, reasons = c.Search(usable, []string{good})
	g.Expect(path).To(BeEmpty())
	g.Expect(reasons).To(ConsistOf(ContainSubstring("modelparity.lock lists")))
}

func TestInPython(t *testing.T) {
	found, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("there is no python3 here: ", err)
	}
	python := strings.TrimSpace(string(found)) // what PATH has may be a script that needs PATH
	g := NewWithT(t)
	// package makes acme_engine with a library in a folder.
	packaged := func(folder string) string {
		library := filepath.Join(folder, "acme_engine", "libs", "libacme.so")
		g.Expect(os.MkdirAll(filepath.Dir(library), 0o755)).To(Succeed())
		for _, path := range []string{library, filepath.Join(folder, "acme_engine", "__init__.py")} {
			g.Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
		}
		return library
	}
	t.Setenv("VIRTUAL_ENV", "")
	t.Chdir(t.TempDir())
	packaged(".")
	g.Expect(enginelock.InPython("acme_engine", "libs/libacme.so*")).To(BeEmpty(),
		"what lies in the working directory is not Python's package")
	installed := t.TempDir()
	library := packaged(installed)
	t.Setenv("PYTHONPATH", installed)
	g.Expect(enginelock.InPython("acme_engine", "libs/libacme.so*")).To(Equal([]string{library}))
	g.Expect(enginelock.InPython("acme_engine", "libs/other*")).To(BeEmpty())
	g.Expect(enginelock.InPython("acme_absent", "*")).To(BeEmpty())

	// The active environment comes first, and one without the package is passed over.
	environment := t.TempDir()
	g.Expect(os.MkdirAll(filepath.Join(environment, "bin"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(environment, "bin", "python"),
		[]byte("#!/bin/sh\nexec "+python+" \"$@\"\n"), 0o700)).To(Succeed())
	t.Setenv("VIRTUAL_ENV", environment)
	t.Setenv("PATH", t.TempDir())
	g.Expect(enginelock.InPython("acme_engine", "libs/libacme.so")).To(Equal([]string{library}))
	t.Setenv("VIRTUAL_ENV", t.TempDir())
	g.Expect(enginelock.InPython("acme_engine", "libs/libacme.so")).To(BeEmpty())
}
