package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// rule is a function of --compare: what it is called, which flags set its numbers, and the checks
// it makes of them.
type rule struct {
	name  string
	flags []string // of the thresholds it reads; the first is its own
	check func(numbers func(flag string, otherwise float64) float64, stats []string) (
		[]compare.Check, error)
}

// rules are the functions of --compare: Polygraphy's with its defaults, then ours.
var rules = []rule{
	{"simple", []string{"--atol", "--rtol", "--error-quantile"}, simple},
	{"indices", []string{"--index-tolerance"}, func(n numbers, _ []string) ([]compare.Check, error) {
		tolerance := n("--index-tolerance", 0)
		if tolerance != math.Trunc(tolerance) {
			return nil, fmt.Errorf("--index-tolerance counts positions; %v is not an integer", tolerance)
		}
		return one(compare.Indices(int(tolerance)))
	}},
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
	{"ulp", []string{"--ulp-threshold"}, func(n numbers, _ []string) ([]compare.Check, error) {
		steps := n("--ulp-threshold", 1)
		if steps != math.Trunc(steps) {
			return nil, fmt.Errorf("--ulp-threshold counts values; %v is not an integer", steps)
		}
		return one(compare.ULP(int(steps)))
	}},
	limit("norm_relative", "--norm-relative-threshold", 1e-5, compare.NormRelative),
	limit("kl", "--kl-threshold", 1e-6, compare.KL),
}

// groups are names that stand for several functions.
var groups = map[string][]string{
	"distance_metrics": {"l2", "cosine_similarity"},
	"quality_metrics":  {"psnr", "snr"},
}

// numbers gives the threshold that a flag sets for the output in question.
type numbers = func(flag string, otherwise float64) float64

// Polygraphy's tolerances, for every element type.
const (
	defaultAtol     = 1e-5
	defaultRtol     = 1e-5
	defaultQuantile = 0.99
)

// one is the result of a rule with one check.
func one(check compare.Check) ([]compare.Check, error) { return []compare.Check{check}, nil }

// limit is a rule with one threshold.
func limit(name, flag string, otherwise float64, check func(float64) compare.Check) rule {
	return rule{name, []string{flag}, func(n numbers, _ []string) ([]compare.Check, error) {
		return one(check(n(flag, otherwise)))
	}}
}

// simple is Polygraphy's own rule, once for each statistic: all must hold.
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

// comparison is how the request wants outputs compared.
func (r *request) comparison() (compare.Options, error) {
	options := r.options
	options.TopK = r.topK
	if err := r.unread(); err != nil {
		return options, err
	}
	named := map[string]bool{}
	for _, outputs := range r.thresholds {
		for output := range outputs {
			named[output] = true
		}
	}
	for output := range r.stats["--check-error-stat"] {
		named[output] = true
	}
	var err error
	if options.Checks, err = r.checks(""); err != nil {
		return options, err
	}
	options.PerOutput = map[string][]compare.Check{}
	for _, output := range slices.Sorted(maps.Keys(named)) {
		if output == "" {
			continue
		}
		if options.PerOutput[output], err = r.checks(output); err != nil {
			return options, err
		}
	}
	return options, nil
}

// checks is the rules for one output; "" is every output that has none of its own.
func (r *request) checks(output string) ([]compare.Check, error) {
	var checks []compare.Check
	var wrong error
	threshold := func(flag string, otherwise float64) float64 {
		switch given := r.thresholds.of(flag, output); len(given) {
		case 0:
			return otherwise
		case 1:
			return given[0]
		default:
			wrong = fmt.Errorf("%s has several values for %s: %v", flag, called(output), given)
			return given[0]
		}
	}
	for _, rule := range r.chosen() {
		made, err := rule.check(threshold, r.stats.of("--check-error-stat", output))
		if err == nil {
			err = wrong
		}
		if err != nil {
			return nil, err
		}
		checks = append(checks, made...)
	}
	if allowed := threshold("--allow-mismatch", 0); allowed != 0 {
		for i := range checks {
			checks[i] = checks[i].AllowMismatch(allowed)
		}
	}
	return checks, wrong
}

// called names an output in a message.
func called(output string) string {
	if output == "" {
		return "every output"
	}
	return "the output " + output
}

// chosen is the functions that --compare names, each once, in their order.
func (r *request) chosen() []rule {
	names := r.functions
	if len(names) == 0 {
		names = []string{"simple"}
	}
	var chosen []rule
	for _, name := range names {
		for _, rule := range rules {
			if rule.name == name && !slices.ContainsFunc(chosen, same(rule)) {
				chosen = append(chosen, rule)
			}
		}
	}
	return chosen
}

// same finds a rule by its name.
func same(as rule) func(rule) bool { return func(r rule) bool { return r.name == as.name } }

// unread refuses a threshold that none of the chosen functions reads. Polygraphy warns and goes
// on, and a tolerance that somebody set is then not looked at.
func (r *request) unread() error {
	read := []string{"--allow-mismatch"}
	for _, rule := range r.chosen() {
		read = append(read, rule.flags...)
	}
	for _, flag := range slices.Sorted(maps.Keys(r.thresholds)) {
		if slices.Contains(read, flag) {
			continue
		}
		for _, rule := range rules {
			if slices.Contains(rule.flags, flag) {
				return fmt.Errorf("%s is for --compare %s, which was not asked for", flag, rule.name)
			}
		}
	}
	if len(r.thresholds["--error-quantile"]) > 0 && !r.asksForQuantile() {
		return fmt.Errorf("--error-quantile does nothing without --check-error-stat quantile; add it, " +
			"or drop --error-quantile")
	}
	if len(r.stats) > 0 && !slices.ContainsFunc(r.chosen(), same(rules[0])) {
		return fmt.Errorf("--check-error-stat is for --compare simple, which was not asked for")
	}
	return nil
}

// asksForQuantile reports whether a quantile of the errors is held to the tolerances.
func (r *request) asksForQuantile() bool {
	for _, stats := range r.stats["--check-error-stat"] {
		if slices.Contains(stats, "quantile") {
			return true
		}
	}
	return false
}
