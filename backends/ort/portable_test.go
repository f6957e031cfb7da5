//go:build !cgo

package ort_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
)

func TestWithoutCgoTheReasonIsSaid(t *testing.T) {
	_, err := open(model("identity_float"))
	NewWithT(t).Expect(err).To(And(MatchError(ort.ErrNoLibrary), MatchError(
		"ort is missing: this binary was built without cgo, or for a system other than Linux and "+
			"macOS; build it with CGO_ENABLED=1 and a C compiler")))
}
