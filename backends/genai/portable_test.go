//go:build !cgo

package genai_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/genai"
)

func TestWithoutCgoItIsMissing(t *testing.T) {
	NewWithT(t).Expect(genai.Available()).To(MatchError("genai is missing: this binary was built " +
		"without cgo, or for a system other than Linux and macOS; build it with CGO_ENABLED=1 and " +
		"a C compiler"))
}
