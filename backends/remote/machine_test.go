//go:build linux || darwin

package remote_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// machine is a shell with its own home, working folder, programs and environment, which stands for
// another machine.
type machine struct{ folder string }

// newMachine returns a machine. first are the first lines of the script that connects to it.
func newMachine(first ...string) machine {
	GinkgoHelper()
	m := machine{GinkgoT().TempDir()}
	for _, name := range []string{"home", "bin", "temp"} {
		Expect(os.Mkdir(m.path(name), 0o700)).To(Succeed())
	}
	m.script("connect", append(first, `cd '`+m.path("home")+`'`, `exec env -i HOME="$PWD" TMPDIR='`+
		m.path("temp")+`' PATH='`+m.path("bin")+`':"$PATH" "$@"`)...)
	return m
}

func (m machine) path(name string) string { return filepath.Join(m.folder, name) }

// script writes a program.
func (m machine) script(name string, lines ...string) {
	GinkgoHelper()
	text := "#!/bin/sh\n" + strings.Join(lines, "\n") + "\n"
	Expect(os.WriteFile(m.path(name), []byte(text), 0o700)).To(Succeed())
}

// connect is the command that starts programs there.
func (m machine) connect() string { return m.path("connect") }

// files are the names of the files there, without the sums in the names.
func (m machine) files() (names []string) {
	GinkgoHelper()
	for _, folder := range []string{"home", "temp"} {
		Expect(filepath.WalkDir(m.path(folder), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, regexp.MustCompile(`-[0-9a-f]{64}$`).ReplaceAllString(d.Name(), ""))
			}
			return err
		})).To(Succeed())
	}
	return names
}

// install gives the machine the engines that this one has.
func (m machine) install() {
	GinkgoHelper()
	cache, err := os.UserCacheDir()
	Expect(err).NotTo(HaveOccurred())
	there := m.path("home/.cache/modelparity")
	if runtime.GOOS == "darwin" {
		there = m.path("home/Library/Caches/modelparity")
	}
	Expect(os.MkdirAll(there, 0o700)).To(Succeed())
	engines, err := filepath.Glob(filepath.Join(cache, "modelparity", "*"))
	Expect(err).NotTo(HaveOccurred())
	for _, path := range engines {
		if filepath.Base(path) != "remote" {
			Expect(os.Symlink(path, filepath.Join(there, filepath.Base(path)))).To(Succeed())
		}
	}
}
