package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/relations/search"
)

// searched is what the flags of search become.
func searched(line string) (search.Options, error) {
	var r searchRequest
	if _, err := read(&r, flagsOf("", r.sections()), strings.Fields(line)); err != nil {
		return search.Options{}, err
	}
	return r.options(context.Background())
}

func TestFlagsOfSearchBecomeOptions(t *testing.T) {
	usual := []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}
	for line, want := range map[string]search.Options{
		"": {Rule: compare.Options{Checks: usual}},
		"--budget 5m --trials 7 --search-seed 3 --sizes 1 8 --atol 0.5 --rtol 0": {
			Budget: 5 * time.Minute, Trials: 7, Seed: 3, Sizes: []int{1, 8},
			Rule: compare.Options{Checks: []compare.Check{
				compare.Within(0.5, 0, compare.Elementwise)}}},
		"--budget 0.5": {Budget: 500 * time.Millisecond, Rule: compare.Options{Checks: usual}},
		"--noise --false-alarm 0.01": {Noise: true, Bars: compare.Bars{FalseAlarm: 0.01},
			Rule: compare.Options{Checks: usual}},
	} {
		NewWithT(t).Expect(searched(line)).To(Equal(want), line)
	}
}

func TestFlagsOfSearchSayWhatToWrite(t *testing.T) {
	for line, says := range map[string]string{
		"--budget soon":      `--budget: "soon" is not a duration of 0 or more; write seconds`,
		"--budget 0s":        `--budget: the time limit must be greater than 0`,
		"--trials 0":         `"0" is not a whole number of at least 1`,
		"--search-seed -1":   `"-1" is not a whole number of at least 0`,
		"--sizes 1 0":        `"0" is not a whole number of at least 1`,
		"--sizes":            "--sizes needs a value",
		"--atol logits:1e-3": "search applies one rule to all outputs",
	} {
		_, err := searched(line)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)), line)
	}
}
