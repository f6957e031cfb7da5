//go:build cgo && linux

package onnxruntime_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// TestTriedLibraryStaysOpenUntilItIsStarted opens libraries in a process of its own, since one that
// was started is never closed.
func TestTriedLibraryStaysOpenUntilItIsStarted(t *testing.T) {
	g := NewWithT(t)
	const inChild = "MODELPARITY_TEST_TRIED"
	if os.Getenv(inChild) == "" {
		if _, err := engines.ONNXRuntime.Library(); err != nil {
			t.Skip(err)
		}
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		said, err := child.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), "%s", said)
		g.Expect(string(said)).To(ContainSubstring("--- PASS: " + t.Name()))
		return
	}
	one, err := engines.ONNXRuntime.Library()
	g.Expect(err).NotTo(HaveOccurred())
	other := filepath.Join(t.TempDir(), "other.so")
	from, err := os.Open(one)
	g.Expect(err).NotTo(HaveOccurred())
	to, err := os.Create(other)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = io.Copy(to, from)
	g.Expect(errors.Join(err, to.Close(), from.Close())).To(Succeed())

	open := func() []string {
		text, err := os.ReadFile("/proc/self/maps")
		g.Expect(err).NotTo(HaveOccurred())
		var paths []string
		for _, path := range []string{one, other} {
			if strings.Contains(string(text), path+"\n") {
				paths = append(paths, path)
			}
		}
		return paths
	}
	fits := func(string) error { return nil }
	old := errors.New("too old")
	g.Expect(onnxruntime.Try(one, func(string) error { return old })).To(MatchError(old))
	g.Expect(open()).To(BeEmpty(), "it does not fit")
	g.Expect(onnxruntime.Try(one, fits)).To(Succeed())
	g.Expect(open()).To(Equal([]string{one}))
	g.Expect(onnxruntime.Try(other, fits)).To(Succeed())
	g.Expect(open()).To(Equal([]string{other}), "the next is tried")
	g.Expect(onnxruntime.Start(one)).To(Succeed())
	g.Expect(open()).To(Equal([]string{one}), "another is started")
}
