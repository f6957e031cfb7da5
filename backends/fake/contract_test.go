package fake_test

import (
	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/fake"
)

var _ = Describe("A fake, as every engine,", func() {
	engine := fake.Engine(fake.Func(backendtest.Reference))
	for _, spec := range backendtest.Specs(engine, backendtest.AnyModel()) {
		It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
	}
})
