package searchflags_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/searchflags"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/relations/search"
)

// options is what the flags of a command line become, with those of a rule.
func options(line, rule string) (search.Options, error) {
	var f searchflags.Flags
	if err := flagtest.Set(f.Set, line); err != nil {
		return search.Options{}, err
	}
	var r compareflags.Flags
	Expect(flagtest.Set(r.Set, rule)).To(Succeed())
	return f.Options(&r)
}

var _ = Describe("flags of a search", func() {
	usual := []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}

	DescribeTable("become its options", func(line, rule string, want search.Options) {
		Expect(options(line, rule)).To(Equal(want))
	},
		Entry("none: Polygraphy's tolerances", "", "",
			search.Options{Rule: compare.Options{Checks: usual}}),
		Entry("all", "--budget 5m --trials 7 --search-seed 3 --edits --sizes 1 8",
			"--atol 0.5 --rtol 0",
			search.Options{Budget: 5 * time.Minute, Trials: 7, Seed: 3, Edits: true, Sizes: []int{1, 8},
				Rule: compare.Options{Checks: []compare.Check{
					compare.Within(0.5, 0, compare.Elementwise)}}}),
		Entry("noise beside the tolerances", "", "--noise --false-alarm 0.01",
			search.Options{Noise: true, Bars: compare.NoiseBars{FalseAlarm: 0.01},
				Rule: compare.Options{Checks: usual}}),
	)

	DescribeTable("say what to write", func(line, rule, says string) {
		_, err := options(line, rule)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("an unknown flag", "--twice 2", "", `unknown flag --twice ["2"] of a search`),
		Entry("a time", "--budget soon", "", `"soon" is not a time; write 60s, or 5m`),
		Entry("no time", "--budget 0s", "", `"0s" is not a time`),
		Entry("no trials", "--trials 0", "", `"0" is not a number of at least 1`),
		Entry("a seed", "--search-seed -1", "", `"-1" is not a number of at least 0`),
		Entry("a size", "--sizes 1 0", "", `"0" is not a number of at least 1`),
		Entry("a tolerance for one output", "", "--atol logits:1e-3",
			"search holds all outputs to one rule"),
	)
})
