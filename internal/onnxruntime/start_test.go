//go:build cgo && linux

package onnxruntime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// TestALibraryThatDoesNotStartIsClosed opens libraries in a process of its own, since one that was
// started is never closed.
func TestALibraryThatDoesNotStartIsClosed(t *testing.T) {
	g := NewWithT(t)
	const inChild = "MODELPARITY_TEST_STARTED"
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
	old := filepath.Join(t.TempDir(), "old.so")
	source := filepath.Join(t.TempDir(), "old.c")
	g.Expect(os.WriteFile(source, []byte(`static const char *version(void) { return "1.23.2"; }
static const struct { const void *a, *b; } base = { 0, (void *)version };
const void *OrtGetApiBase(void) { return &base; }
`), 0o600)).To(Succeed())
	said, err := exec.Command("cc", "-shared", "-fPIC", "-o", old, source).CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), "%s", said)

	open := func() []string {
		text, err := os.ReadFile("/proc/self/maps")
		g.Expect(err).NotTo(HaveOccurred())
		var paths []string
		for _, path := range []string{one, old} {
			if strings.Contains(string(text), path+"\n") {
				paths = append(paths, path)
			}
		}
		return paths
	}
	g.Expect(onnxruntime.Start(old)).To(MatchError(
		old + " is ONNX Runtime 1.23.2, but 1.24 or later is needed"))
	g.Expect(open()).To(BeEmpty())
	g.Expect(onnxruntime.Start(one)).To(Succeed())
	g.Expect(open()).To(Equal([]string{one}))
	g.Expect(onnxruntime.Start(old)).To(Succeed(), "it does nothing")
	g.Expect(open()).To(Equal([]string{one}))
}
