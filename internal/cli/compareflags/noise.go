package compareflags

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/compare"
)

// Noise reports whether --noise was given: measured noise takes the place of tolerances.
func (f *Flags) Noise() bool { return f.noise }

// Bars is what --false-alarm says of the bars of noise.
func (f *Flags) Bars() compare.NoiseBars { return f.bars }

// NoWorseThan is the precision whose own error takes the place of tolerances, "" where
// --no-worse-than was not given.
func (f *Flags) NoWorseThan() string { return f.lower }

// PrecisionBars is what --false-alarm and --as-published say of the bars of --no-worse-than.
func (f *Flags) PrecisionBars() compare.PrecisionBars {
	return compare.PrecisionBars{FalseAlarm: f.bars.FalseAlarm, Published: f.published}
}

func noWorseThan(f *Flags, words []string) error {
	f.lower = words[0]
	return nil
}

func asPublished(f *Flags, _ []string) error {
	f.published = true
	return nil
}

// falseAlarm takes a probability.
func falseAlarm(f *Flags, words []string) error {
	p, err := strconv.ParseFloat(words[0], 64)
	if err != nil || !(p > 0 && p < 0.5) {
		return fmt.Errorf("%q is not a probability between 0 and 0.5", words[0])
	}
	f.bars.FalseAlarm = p
	return nil
}

// besideNoise is an error for a flag that noise, or the error of a precision, takes the place of.
func (f *Flags) besideNoise() error {
	flag := "--noise"
	switch {
	case !f.noise && f.lower == "":
		return nil
	case f.noise && f.lower != "":
		return errors.New("--noise and --no-worse-than judge differently; drop one of them")
	case f.lower != "":
		flag = "--no-worse-than"
	}
	switch {
	case len(f.functions)+len(f.thresholds)+len(f.stats)+len(f.topK) > 0:
		return fmt.Errorf("%s takes the place of tolerances; drop --compare, the tolerances, "+
			"--check-error-stat and --postprocess, or drop %[1]s", flag)
	case f.options.Average:
		return fmt.Errorf("--check-average does nothing with %s, whose errors have no average; "+
			"drop one of them", flag)
	case f.options.NaNEqual || f.options.InfinitiesEqual:
		return fmt.Errorf("--nans-compare-equal and --infinities-compare-equal do nothing with "+
			"%s, under which equal ones pass; drop them", flag)
	case f.options.AnyShape:
		return fmt.Errorf("%s was measured for one shape; drop --no-shape-check, or drop %[1]s", flag)
	case f.options.AnyElementType && f.noise:
		return errors.New("--noise was measured for one element type; drop --no-type-check, or drop " +
			"--noise")
	case f.published && f.bars.FalseAlarm != 0:
		return errors.New("--false-alarm does nothing with --as-published, whose bars are fixed; drop " +
			"one of them")
	}
	return nil
}
