package upgrade_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/ginkgoreport"
)

func TestUpgrade(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Upgrade")
}

// Suite reports after the run which golden files were compared, written or kept.
var _ = ginkgoreport.Suite()
