package matchers_test

import (
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("an error of an engine", func() {
	busy := errors.New("the device is busy")

	It("prints as its text, without the fields of what is wrapped in it", func(ctx SpecContext) {
		broken := fake.Engine(fake.Error(fmt.Errorf("no memory: %w", busy)))
		run := func() (*backends.Run, error) {
			return backends.RunIn(ctx, broken, declared{}, fixtures.Of(set("x", f32(1))))
		}
		_, err := run()
		Expect(err).To(MatchError(busy))
		expectText("engine_error", failed(func(g Gomega) { g.Expect(run()).To(BeFinite()) }))
		Expect(failed(func(g Gomega) { g.Expect(err).NotTo(HaveOccurred()) })).NotTo(
			ContainSubstring("wrapError"))
	})

	It("says how to skip the spec if the engine is missing", func(ctx SpecContext) {
		missing := fake.Engine(fake.Error(&backends.Missing{Backend: "abacus", Reason: "no beads",
			Remedy: "buy some"}))
		Expect(failed(func(g Gomega) {
			g.Expect(backends.RunIn(ctx, missing, declared{}, fixtures.Of(set("x", f32(1))))).To(BeFinite())
		})).To(HaveSuffix("call the Require function of the engine's package first"))
	})
})
