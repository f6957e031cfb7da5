package compareflags

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/compare"
)

// rule is one of the comparison functions that --compare accepts, such as l2.
type rule struct {
	name  string
	flags []string // the flags that set its thresholds; the first belongs to no other rule
	check func(n numbers, stats []string) ([]compare.Check, error)
}

// rules lists the comparison functions: first Polygraphy's with their defaults, then the
// additional ones.
var rules = []rule{
	{simpleRule, []string{"--atol", "--rtol", "--error-quantile"}, simple},
	whole("indices", "--index-tolerance", 0, compare.Indices),
	limit("l2", "--l2-threshold", 1e-5, compare.L2),
	limit("cosine_similarity", "--cosine-similarity-threshold", 0.997, compare.CosineSimilarity),
	limit("psnr", "--psnr-threshold", 30, compare.PSNR),
	limit("snr", "--snr-threshold", 20, compare.SNR),
	{"allclose", []string{"--atol", "--rtol"}, func(n numbers, _ []string) ([]compare.Check, error) {
		return one(compare.WithinSum(n("--atol", defaultAtol), n("--rtol", defaultRtol)))
	}},
	{"defaults", nil, func(numbers, []string) ([]compare.Check, error) {
		return one(compare.Defaults())
	}},
	whole("ulp", "--ulp-threshold", 1, compare.ULP),
	limit("norm_relative", "--norm-relative-threshold", 1e-5, compare.NormRelative),
	limit("kl", "--kl-threshold", 1e-6, compare.KL),
	{perceptual, []string{"--lpips-threshold"}, nil}, // see [Flags.images]
}

// simpleRule is the default of --compare.
const simpleRule = "simple"

// perceptual is the name of the function that compares images with a neural network.
const perceptual = "perceptual_metrics"

// images returns the check for perceptual_metrics.
func (f *Flags) images(n numbers, _ []string) ([]compare.Check, error) {
	limit := n("--lpips-threshold", 0.1)
	if !(limit >= 0) {
		return nil, fmt.Errorf("--lpips-threshold must be 0 or more, got %v", limit)
	}
	return one(compare.AtMost(perceptual, limit, f.distance))
}

// groups maps a name that --compare accepts to the functions that it stands for.
var groups = map[string][]string{
	"distance_metrics": {"l2", "cosine_similarity"},
	"quality_metrics":  {"psnr", "snr"},
}

// numbers is a function that returns the value of a flag for the current output. If the user has
// not given the flag, the function returns its second argument, the default.
type numbers = func(flag string, otherwise float64) float64

// Polygraphy's default tolerances, which apply to every element type.
const (
	defaultAtol     = 1e-5
	defaultRtol     = 1e-5
	defaultQuantile = 0.99
)

func one(check compare.Check) ([]compare.Check, error) { return []compare.Check{check}, nil }

// limit returns a rule with a single threshold, which the given flag sets. Without the flag, the
// threshold is the default that the caller passes.
func limit(name, flag string, otherwise float64, check func(float64) compare.Check) rule {
	return rule{name, []string{flag}, func(n numbers, _ []string) ([]compare.Check, error) {
		return one(check(n(flag, otherwise)))
	}}
}

// whole is like [limit], for a threshold that must be a whole number.
func whole(name, flag string, otherwise float64, check func(int) compare.Check) rule {
	return rule{name, []string{flag}, func(n numbers, _ []string) ([]compare.Check, error) {
		threshold := n(flag, otherwise)
		if threshold != math.Trunc(threshold) {
			return nil, fmt.Errorf("%s must be a whole number, got %v", flag, threshold)
		}
		return one(check(int(threshold)))
	}}
}

// simple returns the checks of Polygraphy's default rule, one for each statistic. All of them must
// pass.
func simple(n numbers, stats []string) ([]compare.Check, error) {
	if len(stats) == 0 {
		stats = []string{string(compare.Elementwise)}
	}
	var checks []compare.Check
	for _, name := range stats {
		stat, err := compare.ParseStat(name)
		if err != nil {
			return nil, err
		}
		if name == "quantile" {
			stat = compare.Quantile(n("--error-quantile", defaultQuantile))
		}
		checks = append(checks, compare.Within(n("--atol", defaultAtol), n("--rtol", defaultRtol), stat))
	}
	return checks, nil
}
