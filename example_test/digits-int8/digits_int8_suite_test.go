package digitsint8_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/ginkgoreport"
)

func TestDigitsInt8(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Digits in int8")
}

// Suite reports after the run which specs were skipped, and why.
var _ = ginkgoreport.Suite()
