package compare_test

import (
	"errors"
	"math"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
)

// differences are the recorded cases where we differ on purpose, with the reason as RATIONALE.md
// gives it. A case without a verdict differs in its numbers only.
var differences = map[string]struct {
	verdict compare.Verdict
	reason  string
}{
	"ints/i32_min_vs_max":                {compare.Fail, wraps},
	"ints/i32_max_vs_min":                {compare.Fail, wraps},
	"ints/i32_max_vs_minus1":             {compare.Fail, wraps},
	"ints/i32_min_vs_1":                  {"", wraps},
	"ints/i64_min_vs_max":                {compare.Fail, wraps},
	"ints/i64_max_vs_min":                {compare.Fail, wraps},
	"ints/i64_max_vs_minus1":             {compare.Fail, wraps},
	"ints/u64_min_vs_max":                {compare.Fail, wraps},
	"ints/u64_one_vs_two":                {"", wraps},
	"ints/u64_atol1":                     {compare.Pass, wraps},
	"ints/u64_rand_elemwise":             {"", wraps},
	"ints/u64_rand_max":                  {"", wraps},
	"ints/u64_rand_mean":                 {compare.Pass, wraps},
	"ints/u64_rand_median":               {"", wraps},
	"ints/u64_rand_quantile":             {"", wraps},
	"nan_inf/f64_mean_overflows_float32": {compare.Pass, "means accumulate in float64"},
	"indices/negative_tol":               {misuse, "a negative tolerance is misuse"},
}

// powerless are the recorded cases that Polygraphy passes, and could not have failed: an error
// here.
var powerless = regexp.MustCompile("^(bools/diff_atol1_.*|indices/(equal|swap01|rotate|missing|" +
	"swap_last|dupes|dupes2|far)_i64_tol5|indices/single_.*_tol[125]|nan_inf/.*_[ar]tol_inf)$")

// empties are the recorded cases in which Polygraphy fails two empty tensors under one statistic
// and passes them under another. They are equal; whether that proves anything applies to the whole
// run.
var empties = regexp.MustCompile("^empty/.*_(mean|quantile)$")

const wraps = "integer differences never wrap"

// verdicts are ours where Polygraphy raised an exception. misuse is an error.
var verdicts = map[string]compare.Verdict{
	"bools/equal_quantile":            compare.Pass,
	"bools/all_true_quantile":         compare.Pass,
	"bools/diff_quantile":             compare.Fail,
	"bools/diff_atol1_quantile":       misuse,
	"empty/empty_vs_nonempty_nocheck": compare.Fail,
	"quantile/q_out_of_range":         misuse,
	"quantile/q_negative":             misuse,
	"indices/scalar":                  compare.Pass,
}

const misuse compare.Verdict = "misuse"

var recordedGroups = []string{"bools", "empty", "float_sweep_1", "float_sweep_2", "ints",
	"median_mean", "nan_inf", "quantile", "zero_ref", "indices"}

// judge is our report of a recorded case.
func judge(c vectorCase) (compare.Report, error) {
	actual, expected := set(c.Runner0), set(c.Runner1)
	options := compare.Options{
		AnyElementType:  true,
		AllowEmpty:      true,
		InfinitiesEqual: c.parameter("infinities_compare_equal", "", false).(bool),
		AnyShape:        !c.parameter("check_shapes", "", true).(bool),
		PerOutput:       map[string][]compare.Check{},
	}
	for name := range actual.All() {
		options.PerOutput[name] = []compare.Check{c.check(name)}
	}
	return compare.Sets(actual, expected, options)
}

var _ = Describe("what Polygraphy 0.53.6 was recorded to say", func() {
	for _, group := range recordedGroups {
		It("is our verdict too: "+group, func() {
			for _, c := range readVectors(group) {
				report, err := judge(c)
				want := compare.Fail
				if c.Expected.Passed {
					want = compare.Pass
				}
				if d, ok := differences[c.ID]; ok && d.verdict != "" {
					Expect(d.verdict).NotTo(Equal(want), "%s is not a difference", c.ID)
					want = d.verdict
				}
				switch {
				case empties.MatchString(c.ID):
					Expect(want).To(Equal(compare.Fail), "%s is not a difference", c.ID)
					want = compare.Pass
				case powerless.MatchString(c.ID) && (c.Expected.Passed || c.Expected.Status != "ok"):
					Expect(errors.As(err, new(*compare.Powerless))).To(BeTrue(), c.ID)
					continue
				}
				if c.Expected.Status == "exception" {
					if c.ID == "indices/float_tol" {
						continue // a tolerance of Indices is an int
					}
					Expect(verdicts).To(HaveKey(c.ID), "Polygraphy raised %v",
						c.Expected.Exception)
					want = verdicts[c.ID]
				}
				if want == misuse {
					Expect(err).To(HaveOccurred(), c.ID)
					continue
				}
				Expect(err).NotTo(HaveOccurred(), c.ID)
				Expect(report.Verdict).To(Equal(want), "%s\n%v", c.ID, report)
				for i, out := range c.Expected.Outputs {
					if _, ok := differences[c.ID]; !ok && !empties.MatchString(c.ID) {
						passed := report.Outputs[i].Verdict == compare.Pass
						Expect(passed).To(Equal(out.Passed), c.ID)
					}
				}
			}
		})
	}

	for _, group := range recordedGroups[:len(recordedGroups)-1] {
		It("is what our statistics say: "+group, func() {
			for _, c := range readVectors(group) {
				if c.Expected.Status != "ok" || differences[c.ID].reason != "" ||
					powerless.MatchString(c.ID) && c.Expected.Passed {
					continue
				}
				report, err := judge(c)
				Expect(err).NotTo(HaveOccurred(), c.ID)
				for i, out := range c.Expected.Outputs {
					if out.Kind == "metrics" {
						s := report.Outputs[i].Statistics()
						holdErrors(c, s.Abs, out.Metrics, "absdiff")
						holdErrors(c, s.Rel, out.Metrics, "reldiff")
					}
				}
			}
		})
	}
})

// holdErrors holds max and median exactly, mean and quantile within 1e-6 relative.
func holdErrors(c vectorCase, e compare.Errors, metrics map[string]any, suffix string) {
	GinkgoHelper()
	exact := func(name string, ours float64) {
		want := recorded(metrics[name+"_"+suffix])
		Expect(ours == want || ours != ours && want != want).To(BeTrue(),
			"%s: %s_%s is %v, recorded %v", c.ID, name, suffix, ours, want)
	}
	near := func(name string, ours float64) {
		want := recorded(metrics[name+"_"+suffix])
		Expect(ours == want || ours != ours && want != want ||
			math.Abs(ours-want) <= 1e-6*math.Abs(want)).To(BeTrue(),
			"%s: %s_%s is %v, recorded %v", c.ID, name, suffix, ours, want)
	}
	exact("max", e.Max)
	exact("median", e.Median)
	near("mean", e.Mean)
	if metrics["quantile_"+suffix] != nil {
		near("quantile", e.Quantile)
	}
}
