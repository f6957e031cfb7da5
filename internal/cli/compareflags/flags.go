// Package compareflags converts flags to [compare.Options]. It supports Polygraphy's flags, such as
// --atol 1e-3 logits:1e-2 --check-error-stat median, and some additional ones.
package compareflags

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/tensor"
)

// Flags holds the flags of a command line. The zero value means Polygraphy's default rule and
// tolerances.
type Flags struct {
	functions  []string // values of --compare, in order; none means simple
	thresholds perOutput[float64]
	stats      perOutput[string]
	topK       map[string]compare.TopK
	options    compare.Options // the fields that switches set
	asked      bool            // a flag was given that only comparisons use
	noise      bool            // judge by measured noise instead of tolerances
	bars       compare.NoiseBars
	distance   func(actual, expected *tensor.Tensor) (float64, error)
	lower      string // a precision; judge by its error instead of tolerances
	published  bool   // apply AWS's gate without changes
}

// Set sets a flag. For a bad value it returns an error that says what to write. Contradictions
// between flags are reported by [Flags.Options].
func (f *Flags) Set(flag string, words ...string) error {
	apply, known := table()[flag]
	if !known {
		return fmt.Errorf("unknown comparison flag %s", flag)
	}
	return apply(f, words)
}

// Names returns the names of all flags.
func Names() []string { return slices.Sorted(maps.Keys(table())) }

// Asked reports whether a flag was given that only comparisons use.
func (f *Flags) Asked() bool {
	return f.asked || f.noise || f.lower != "" ||
		len(f.thresholds) > 0 || len(f.stats) > 0 || len(f.topK) > 0
}

// Finite reports whether NaN and infinities are failures. This can be checked in a single run.
func (f *Flags) Finite() bool { return f.options.Finite }

// options has the fields that switches set.
type options = compare.Options

// apply sets a flag to the given words.
type apply = func(f *Flags, words []string) error

// table returns all flags by name.
func table() map[string]apply {
	all := map[string]apply{
		"--compare":                  functions,
		"--check-error-stat":         statistics,
		"--postprocess":              postprocess,
		"--output-names":             outputNames,
		"--only":                     names(func(o *options) *[]string { return &o.Only }),
		"--except":                   names(func(o *options) *[]string { return &o.Except }),
		"--compare-outputs":          func(f *Flags, _ []string) error { f.asked = true; return nil },
		"--infinities-compare-equal": option(func(o *options) *bool { return &o.InfinitiesEqual }),
		"--nans-compare-equal":       option(func(o *options) *bool { return &o.NaNEqual }),
		"--no-shape-check":           option(func(o *options) *bool { return &o.AnyShape }),
		"--no-type-check":            option(func(o *options) *bool { return &o.AnyElementType }),
		"--validate":                 option(func(o *options) *bool { return &o.Finite }),
		"--allow-empty":              option(func(o *options) *bool { return &o.AllowEmpty }),
		"--fail-fast":                option(func(o *options) *bool { return &o.FailFast }),
		"--check-average":            option(func(o *options) *bool { return &o.Average }),
		"--allow-mismatch":           threshold("--allow-mismatch"),
		"--noise":                    func(f *Flags, _ []string) error { f.noise = true; return nil },
		"--false-alarm":              falseAlarm,
		"--no-worse-than":            noWorseThan,
		"--as-published":             asPublished,
	}
	for _, rule := range rules {
		for _, flag := range rule.flags {
			all[flag] = threshold(flag)
		}
	}
	return all
}

// names returns a flag whose values are output names and patterns.
func names(of func(*options) *[]string) apply {
	return func(f *Flags, words []string) error {
		for _, name := range words {
			if name == "" {
				return errors.New("an output's name is empty")
			}
		}
		*of(&f.options) = append(*of(&f.options), words...)
		f.asked = true
		return nil
	}
}

// option returns a switch that sets a boolean option of the comparison.
func option(of func(*options) *bool) apply {
	return func(f *Flags, _ []string) error {
		*of(&f.options) = true
		return nil
	}
}

// threshold returns a flag whose values are numbers, each for all outputs or for one.
func threshold(flag string) apply {
	return func(f *Flags, words []string) error {
		for _, text := range words {
			number, err := values.Number(text)
			if err != nil {
				return err
			}
			f.thresholds.add(flag, number.Name, number.Value)
		}
		return nil
	}
}

// statistics parses [OUTPUT:]STAT.
func statistics(f *Flags, words []string) error {
	for _, text := range words {
		stat, err := statistic(text)
		if err != nil {
			return err
		}
		f.stats.add("--check-error-stat", stat.Name, stat.Value)
	}
	return nil
}

// postprocess parses [OUTPUT:]top-K[,axis=A].
func postprocess(f *Flags, words []string) error {
	for _, text := range words {
		top, err := topK(text)
		if err != nil {
			return err
		}
		if f.topK == nil {
			f.topK = map[string]compare.TopK{}
		}
		f.topK[top.Name] = top.Value
	}
	return nil
}

// outputNames parses ACTUAL:EXPECTED and by-position.
func outputNames(f *Flags, words []string) error {
	for _, text := range words {
		if text == "by-position" {
			f.options.ByPosition = true
			continue
		}
		pair := values.Split(text)
		if pair.Name == "" || pair.Value == "" {
			return fmt.Errorf("%q does not name two outputs; write logits:output_0", text)
		}
		if f.options.Names == nil {
			f.options.Names = map[string]string{}
		}
		f.options.Names[pair.Name] = pair.Value
	}
	return nil
}
