package twin_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/skips"
)

func TestTwin(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "twin")
}

var _ = skips.Announce("this processor computes no bfloat16", "a processor with bfloat16")
