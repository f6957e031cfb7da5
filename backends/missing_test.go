package backends_test

import (
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/tally"
)

// recorder is a T that notes how it was ended.
type recorder struct{ skipped, failed string }

func (r *recorder) Helper()                           {}
func (r *recorder) Skipf(format string, args ...any)  { r.skipped = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

var _ = Describe("A missing engine", func() {
	missing := fmt.Errorf("somewhere: %w", &backends.Missing{
		Backend: "abacus", Reason: "no beads", Remedy: "string some"})

	DescribeTable("is required by name or by all", func(variable string, expected bool) {
		GinkgoT().Setenv(backends.RequireVariable, variable)
		Expect(backends.Required("ort")).To(Equal(expected))
	},
		Entry("nothing", "", false),
		Entry("its name", "ort", true),
		Entry("its name among others", "trt, ort ,x", true),
		Entry("all", "all", true),
		Entry("another name", "trt", false),
		Entry("a name that only contains it", "sort", false),
	)

	It("skips a spec with one line", func() {
		GinkgoT().Setenv(backends.RequireVariable, "ort")
		var t recorder
		backends.SkipMissing(&t, missing)
		Expect(t).To(Equal(recorder{
			skipped: "somewhere: abacus is missing: no beads; string some"}))
	})

	It("fails a spec where it is required", func() {
		GinkgoT().Setenv(backends.RequireVariable, "abacus")
		var t recorder
		backends.SkipMissing(&t, missing)
		Expect(t).To(Equal(recorder{failed: "somewhere: abacus is missing: no beads; " +
			"string some (MODELPARITY_REQUIRE=abacus makes this a failure)"}))
	})

	It("is told from other errors, which fail, and from none", func() {
		var other, none recorder
		backends.SkipMissing(&other, errors.New("broken"))
		Expect(other).To(Equal(recorder{failed: "broken"}))
		backends.SkipMissing(&none, nil)
		Expect(none).To(Equal(recorder{}))
	})

	It("is told from a version that the spec does not want", func() {
		tally.Unfit = func(engines map[string]tally.Engine) string {
			return "abacus " + engines["abacus"].Version + " is installed"
		}
		DeferCleanup(func() { tally.Unfit = nil })
		tally.Found("abacus", "abacus", "1.2")
		var t recorder
		backends.SkipMissing(&t, nil)
		Expect(t).To(Equal(recorder{skipped: "abacus 1.2 is installed"}))
	})

	It("ends specs of Ginkgo and of testing alike", func() {
		var _ backends.T = GinkgoT()
		var _ backends.T = GinkgoTB()
	})
})
