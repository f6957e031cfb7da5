//go:build !cgo

package openvino_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/tensor"
)

func TestWithoutCgoTheReasonIsSaid(t *testing.T) {
	RegisterTestingT(t)
	_, err := openvino.Run(t.Context(), unary("Relu", f32, 1), x(tensor.Of[float32](1)))
	NewWithT(t).Expect(err).To(And(MatchError(openvino.ErrNoLibrary), MatchError(
		"openvino is missing: this binary was built without cgo, or for a system other than Linux and "+
			"macOS; build it with CGO_ENABLED=1 and a C compiler")))
}
