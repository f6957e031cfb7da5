//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// TestMain lets the test binary measure victims, as the program does.
func TestMain(m *testing.M) {
	rig.MeasureIfAsked()
	os.Exit(m.Run())
}

// An attack that notices nothing proves nothing: these are victims that break each promise.
func TestWhatAVictimDoesWrongIsNoticed(t *testing.T) {
	for reason, row := range map[string]struct{ script, expected string }{
		"a panic":         {"echo 'panic: index out of range' >&2; exit 2", "dies: panic: index"},
		"a Go trace":      {"echo 'fatal error: out of memory' >&2; exit 2", "dies: fatal error"},
		"a native abort":  {"echo 'SIGBUS: bus error' >&2; exit 2", "dies: SIGBUS"},
		"a signal":        {"kill -SEGV $$", "ends with signal"},
		"another status":  {"exit 3", "ends with exit status 3"},
		"silence":         {"exit 2", "prints no error"},
		"a flood":         {"yes word | head -c 100000 >&2; exit 2", "bytes of errors"},
		"nothing, equal":  {"exit 0", ""},
		"nothing, differ": {"exit 1", ""},
		"an error":        {"echo 'modelparity: no such file' >&2; exit 2", ""},
	} {
		t.Run(reason, func(t *testing.T) {
			g := NewWithT(t)
			a := attack{dir: t.TempDir(), program: script(t, row.script)}
			wrong, err := a.strike(t.Context(), victim{base: 64 << 20}, &result{})
			g.Expect(err).NotTo(HaveOccurred())
			if row.expected == "" {
				g.Expect(wrong).To(BeEmpty())
			} else {
				g.Expect(wrong).To(ContainSubstring(row.expected))
			}
		})
	}
}

func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "victim")
	NewWithT(t).Expect(os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755)).To(Succeed())
	return path
}

// hog is the variable that makes this test binary a victim that takes too much memory.
const hog = "MODELPARITY_ATTACK_HOG"

func TestMemoryIsMeasured(t *testing.T) {
	if os.Getenv(hog) != "" {
		data := make([]byte, 200<<20)
		for i := range data {
			data[i] = byte(i)
		}
		os.Exit(int(data[len(data)-1]) % 2)
	}
	g := NewWithT(t)
	program, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	a := attack{dir: t.TempDir(), program: program}
	v := victim{args: []string{"-test.run=^TestMemoryIsMeasured$"}, env: []string{hog + "=1"},
		base: 32 << 20}
	wrong, err := a.strike(t.Context(), v, &result{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrong).To(ContainSubstring("over the limit of"))
}

func TestAScenarioThatWorksIsNoticed(t *testing.T) {
	for reason, row := range map[string]struct{ script, expected string }{
		"another status": {"exit 0", "ends with exit status 0"},
		"another reason": {"echo no such flag >&2; exit 2", `does not print "golden file"`},
		"a sequence":     {"printf 'golden file \\033[31m' >&2; exit 2", "prints"},
		"a command":      {"echo golden file; echo ' ::error::x' >&2; exit 2", "prints"},
		"a line":         {"printf 'golden file\\nFORGED' >&2; exit 2", "prints"},
		"a change":       {"echo golden file >&2; echo new >kept; exit 2", "changes "},
		"a report":       {"echo golden file >&2; printf '\\033[31m' >report.xml; exit 2", "writes "},
		"a link":         {"echo golden file >&2; rm link; echo new >link; exit 2", "changes "},
		"code that ran":  {"echo golden file >&2; touch json.py.pwned; exit 2", "creates "},
		"a secret":       {"echo golden file >&2; echo u:s3cret@h >spec; exit 2", "creates "},
		"what is right":  {"echo golden file >&2; echo new >other; exit 2", ""},
	} {
		t.Run(reason, func(t *testing.T) {
			g := NewWithT(t)
			a := attack{dir: t.TempDir(), program: script(t, row.script)}
			s := scenario{status: "2", says: "golden file", lay: func(l *layout) {
				l.file("as it was", "kept")
				l.link("link", "kept")
			}}
			wrong, err := a.play(t.Context(), s, "", filepath.Join(a.dir, "x"), 64<<20, &result{})
			g.Expect(err).NotTo(HaveOccurred())
			if row.expected == "" {
				g.Expect(wrong).To(BeEmpty())
			} else {
				g.Expect(wrong).To(ContainSubstring(row.expected))
			}
		})
	}
}
