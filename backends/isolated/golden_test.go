//go:build linux || darwin

package isolated_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("A golden file", func() {
	It("holds for an engine with and without a process of its own", func(ctx SpecContext) {
		here, err := backends.RunIn(ctx, fake.Engine(fake.Echo()), nil, iterations(2))
		Expect(err).NotTo(HaveOccurred())
		Expect(here).To(MatchGolden("echo"))
		there, err := isolated.Run(ctx, fake.Engine(fake.Echo()), nil, iterations(2))
		Expect(err).NotTo(HaveOccurred())
		Expect(there).To(MatchGolden("echo"))
		spoilt, err := isolated.Run(ctx, fake.Engine(fake.Echo(), fake.NaN("minuend")), nil,
			iterations(2))
		Expect(err).NotTo(HaveOccurred())
		Expect(spoilt).NotTo(MatchGolden("echo"))
	})
})
