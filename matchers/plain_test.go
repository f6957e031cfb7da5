package matchers_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// fatal is a test that remembers how it failed.
type fatal struct{ message string }

func (*fatal) Helper() {}

func (f *fatal) Fatalf(format string, args ...any) {
	f.message = strings.TrimSpace(fmt.Sprintf(format, args...))
}

// TestPlain holds the matchers to what they promise to tests without Ginkgo.
func TestPlain(t *testing.T) {
	g := NewWithT(t)
	g.Expect(tensor.Of(1.0)).To(MatchOutputsWithin(0.5, 0, Elementwise).Of(tensor.Of(1.25)))

	f := &fatal{}
	NewWithT(f).Expect(tensor.Of(1.0)).To(MatchOutputsWithin(0.1, 0, Max).Of(tensor.Of(1.25)))
	g.Expect(f.message).To(HavePrefix("Expected\n    a tensor\nto match\n    a tensor\n"))

	misuse := &fatal{}
	NewWithT(misuse).Expect(1.0).NotTo(MatchOutputsWithin(0.1, 0, Max).Of(tensor.Of(1.25)))
	g.Expect(misuse.message).To(HavePrefix("MatchOutputsWithin: the actual value: got float64"))
}

// TestNoGinkgo keeps a Ginkgo flag or dependency out of plain tests that use the matchers.
func TestNoGinkgo(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "github.com/onsi/gomega/types") {
		t.Fatalf("the list lacks what the package surely imports:\n%s", out)
	}
	for dependency := range strings.Lines(string(out)) {
		if strings.HasPrefix(dependency, "github.com/onsi/ginkgo") {
			t.Errorf("matchers depends on %s", dependency)
		}
	}
}
