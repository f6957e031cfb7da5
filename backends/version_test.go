package backends_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/tally"
)

var _ = Describe("The version that a spec needs", func() {
	BeforeEach(func() {
		GinkgoT().Setenv(backends.RequireVariable, "ort")
		tally.Found("beads", "abacus", "10.6.0.26-20123-abc")
	})

	DescribeTable("runs the spec, or skips it with both versions", func(constraint string, fits bool) {
		var t recorder
		backends.RequireVersion(&t, "beads", constraint)
		skipped := recorder{skipped: "abacus is missing: beads 10.6.0.26-20123-abc is installed; " +
			"this spec needs " + constraint + "; install a version that satisfies the constraint"}
		if fits {
			skipped = recorder{}
		}
		Expect(t).To(Equal(skipped))
	},
		Entry("the same numbers", "= 10.6", true),
		Entry("all of its numbers", "= 10.6.0.26", true),
		Entry("more numbers than it has", "= 10.6.0.26.0", true),
		Entry("another last number", "= 10.6.0.27", false),
		Entry("a different release", "!= 10.6", false),
		Entry("at least an earlier one", ">= 9.12", true),
		Entry("without a space", ">=10.6", true),
		Entry("at least a later one", ">= 10.10", false),
		Entry("at most itself, by two numbers", "<= 10.6", true),
		Entry("above itself, by two numbers", "> 10.6", false),
		Entry("above the release before", "> 10.5", true),
		Entry("below the next major version", "< 11", true),
		Entry("a range around it", ">= 10.1, < 11", true),
		Entry("a range above it", ">= 10.7,< 11", false),
		Entry("a range that names it twice", "!= 10.6.0, >= 10", false),
	)

	It("fails the spec where the engine is required", func() {
		GinkgoT().Setenv(backends.RequireVariable, "trt,abacus")
		var t recorder
		backends.RequireVersion(&t, "beads", ">= 11")
		Expect(t).To(Equal(recorder{failed: "abacus is missing: beads 10.6.0.26-20123-abc is " +
			"installed; this spec needs >= 11; install a version that satisfies the constraint " +
			"(MODELPARITY_REQUIRE=trt,abacus makes this a failure)"}))
	})

	DescribeTable("is refused if it is malformed", func(constraint string) {
		var t recorder
		backends.RequireVersion(&t, "beads", constraint)
		Expect(t.skipped).To(BeEmpty())
		Expect(t.failed).To(Equal("backends.RequireVersion: the constraint \"" + constraint +
			"\" is malformed; write comparisons such as \">= 1.27, < 2\""))
	},
		Entry("empty", ""),
		Entry("no operator", "10.6"),
		Entry("an unknown operator", "~ 10.6"),
		Entry("no number", ">= "),
		Entry("a word", ">= 10.x"),
		Entry("a second part that is empty", ">= 10,"),
		Entry("a malformed part after one that does not hold", ">= 99, 3"),
	)

	It("is refused for an engine that nothing has found", func() {
		var t recorder
		backends.RequireVersion(&t, "ort", ">= 1")
		Expect(t).To(Equal(recorder{failed: "backends.RequireVersion: the version of \"ort\" is " +
			"unknown; call the engine's Require function first, such as ort.Require for onnxruntime"}))
	})
})
