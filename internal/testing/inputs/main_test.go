package main

import (
	"os"
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFlagChangesWithWhatGoDoesNotSee(t *testing.T) {
	g := NewWithT(t)
	write := func(name, text string) {
		g.Expect(os.WriteFile(name, []byte(text), 0o600)).To(Succeed())
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	none, err := flag()
	g.Expect(err).To(MatchError(ContainSubstring("git ls-files")))
	g.Expect(none).To(Equal("-count=1"))

	g.Expect(exec.Command("git", "init").Run()).To(Succeed())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("MODELPARITY_PYTHON", "absent")
	write(".gitignore", "ignored\n")
	write("model.py", "x = 1")
	last, err := flag()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(last).To(MatchRegexp(`^-benchtime=[0-9]+ns$`))
	same := func() {
		t.Helper()
		g.Expect(flag()).To(Equal(last))
	}
	differs := func() {
		t.Helper()
		now, err := flag()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now).NotTo(Equal(last))
		last = now
	}
	same()
	write("ignored", "x")
	same()
	t.Setenv("SOME_OTHER", "1")
	same()
	write("model.py", "x = 2")
	differs()
	write("another.py", "")
	differs()
	g.Expect(os.Remove("another.py")).To(Succeed())
	differs()
	g.Expect(os.Chmod("model.py", 0o700)).To(Succeed())
	differs()
	t.Setenv("MODELPARITY_INPUTS_TEST", "1")
	differs()
	library := os.Getenv("XDG_CACHE_HOME") + "/modelparity/tract/1.0"
	g.Expect(os.MkdirAll(library, 0o700)).To(Succeed())
	write(library+"/libtract.so", "one")
	differs()
	write(library+"/libtract.so", "other")
	differs()
	python := t.TempDir() + "/python"
	g.Expect(os.WriteFile(python, []byte("#!/bin/sh\necho numpy 1\n"), 0o700)).To(Succeed())
	t.Setenv("MODELPARITY_PYTHON", python)
	differs()
	g.Expect(os.WriteFile(python, []byte("#!/bin/sh\necho numpy 2\n"), 0o700)).To(Succeed())
	differs()
}
