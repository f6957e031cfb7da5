package conformance_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/internal/engines"
)

// skipping is a test that notes why it was skipped, and goes on.
type skipping struct {
	*testing.T
	why string
}

func (s *skipping) Skipf(format string, args ...any) { s.why = fmt.Sprintf(format, args...) }

// TestRequireVersion checks that each engine's Require finds its version for RequireVersion.
func TestRequireVersion(t *testing.T) {
	for name, e := range map[string]struct {
		require func(backends.T)
		version string
	}{
		"onnxruntime": {func(t backends.T) { ort.Require(t) }, engines.ONNXRuntime.Version},
		"openvino":    {func(t backends.T) { openvino.Require(t) }, engines.OpenVINO.Version},
		"tract":       {func(t backends.T) { tract.Require(t) }, engines.Tract.Version},
		"onnxruntime-genai": {func(t backends.T) { genai.Require(t) },
			engines.GenAI.Version},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e.require(t)
			backends.RequireVersion(t, name, "= "+e.version)
			t.Setenv(backends.RequireVariable, "")
			other := &skipping{T: t}
			backends.RequireVersion(other, name, "!= "+e.version)
			g.Expect(other.why).To(ContainSubstring(name + " " + e.version))
			g.Expect(other.why).To(HaveSuffix("this spec needs != " + e.version +
				"; install a version that satisfies the constraint"))
		})
	}
}
