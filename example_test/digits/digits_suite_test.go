package digits_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/ginkgoreport"
)

func TestDigits(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Digits")
}

// Suite reports after the run which specs were skipped and which golden files were rewritten.
var _ = ginkgoreport.Suite()
