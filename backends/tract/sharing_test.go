package tract_test

import (
	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharing"
	"github.com/modelparity/modelparity/backends/tract"
)

var _ = sharing.Specs(func() { tract.Require(GinkgoT()) }, sharing.Engines{
	Plain: tract.Engine(),
	Same:  []backends.Engine{tract.Engine(tract.On(tract.CPU)), tract.Engine(tract.WarmUp(1))},
	Other: []backends.Engine{tract.Engine(tract.FP16())},
})
