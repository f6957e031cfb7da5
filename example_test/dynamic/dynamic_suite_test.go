package dynamic_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/ginkgoreport"
)

func TestDynamic(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Dynamic shapes")
}

// Suite reports after the run which specs were skipped and which golden files were rewritten.
var _ = ginkgoreport.Suite()
