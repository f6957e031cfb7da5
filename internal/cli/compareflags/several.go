package compareflags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/compare"
)

// Options converts the flags. A flag that has no effect is an error. Polygraphy only prints a
// warning, and so ignores a tolerance that the user set. A check that compares images with a neural
// network starts a Python program when it is first used; the program ends when ctx ends.
func (f *Flags) Options(ctx context.Context) (compare.Options, error) {
	f.distance = process.StartLPIPS(ctx).Distance
	options := f.options
	options.TopK = f.topK
	if err := f.noiseConflict(); err != nil {
		return options, err
	}
	if err := f.unread(); err != nil {
		return options, err
	}
	named := map[string]bool{}
	for _, outputs := range f.thresholds {
		for output := range outputs {
			named[output] = true
		}
	}
	for output := range f.stats["--check-error-stat"] {
		named[output] = true
	}
	var err error
	if options.Checks, err = f.checks(""); err != nil {
		return options, err
	}
	options.PerOutput = map[string][]compare.Check{}
	for _, output := range slices.Sorted(maps.Keys(named)) {
		if output == "" {
			continue
		}
		if options.PerOutput[output], err = f.checks(output); err != nil {
			return options, err
		}
	}
	return options, nil
}

// One returns the checks for a command that applies one rule to all outputs. If the flags set a
// tolerance for a single output, it returns an error that names the command.
func (f *Flags) One(ctx context.Context, command string) ([]compare.Check, error) {
	options, err := f.Options(ctx)
	if err == nil && len(options.PerOutput) > 0 {
		err = fmt.Errorf("%s applies one rule to all outputs; give the tolerance without an output's "+
			"name", command)
	}
	return options.Checks, err
}

// checks returns the checks for one output or, if output is "", for all outputs that the flags do
// not name.
func (f *Flags) checks(output string) ([]compare.Check, error) {
	var checks []compare.Check
	var wrong error
	threshold := func(flag string, otherwise float64) float64 {
		switch given := f.thresholds.of(flag, output); len(given) {
		case 0:
			return otherwise
		case 1:
			return given[0]
		default:
			wrong = fmt.Errorf("%s has several values for %s: %v", flag, called(output), given)
			return given[0]
		}
	}
	for _, rule := range f.chosen() {
		check := rule.check
		if check == nil {
			check = f.images
		}
		made, err := check(threshold, f.stats.of("--check-error-stat", output))
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

// called returns how messages refer to an output. If output is "", it stands for every output.
func called(output string) string {
	if output == "" {
		return "every output"
	}
	return "the output " + output
}

// chosen returns the comparison functions that --compare names, in order.
func (f *Flags) chosen() []rule {
	names := f.functions
	if len(names) == 0 {
		names = []string{simpleRule}
	}
	chosen := make([]rule, len(names))
	for i, name := range names {
		chosen[i] = rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == name })]
	}
	return chosen
}

// unread returns an error if the flags set a threshold that none of the chosen functions uses.
func (f *Flags) unread() error {
	read := []string{"--allow-mismatch"}
	for _, rule := range f.chosen() {
		read = append(read, rule.flags...)
	}
	for _, flag := range slices.Sorted(maps.Keys(f.thresholds)) {
		if slices.Contains(read, flag) {
			continue
		}
		for _, rule := range rules {
			if slices.Contains(rule.flags, flag) {
				return fmt.Errorf("%[1]s needs --compare %[2]s: add that, or remove %[1]s", flag, rule.name)
			}
		}
	}
	stats := slices.Concat(slices.Collect(maps.Values(f.stats["--check-error-stat"]))...)
	if len(f.thresholds["--error-quantile"]) > 0 && !slices.Contains(stats, "quantile") {
		return errors.New("--error-quantile has no effect without --check-error-stat quantile; add it, " +
			"or drop --error-quantile")
	}
	if len(f.stats) > 0 && len(f.functions) > 0 && !slices.Contains(f.functions, simpleRule) {
		return errors.New("--check-error-stat needs --compare simple: add that, or remove " +
			"--check-error-stat")
	}
	return nil
}
