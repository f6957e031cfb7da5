package flags

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

// falseAlarm takes a probability.
func falseAlarm(f *Flags, words []string) error {
	p, err := strconv.ParseFloat(words[0], 64)
	if err != nil || !(p > 0 && p < 0.5) {
		return fmt.Errorf("%q is not a probability between 0 and 0.5", words[0])
	}
	f.bars.FalseAlarm = p
	return nil
}

// besideNoise is an error for a flag that noise takes the place of.
func (f *Flags) besideNoise() error {
	switch {
	case !f.noise:
		return nil
	case len(f.functions)+len(f.thresholds)+len(f.stats)+len(f.topK) > 0:
		return errors.New("--noise takes the place of tolerances; drop --compare, the tolerances, " +
			"--check-error-stat and --postprocess, or drop --noise")
	case f.options.Average:
		return errors.New("--check-average does nothing with --noise, whose errors have no average; " +
			"drop one of them")
	case f.options.NaNEqual || f.options.InfinitiesEqual:
		return errors.New("--nans-compare-equal and --infinities-compare-equal do nothing with " +
			"--noise, under which equal ones pass; drop them")
	case f.options.AnyShape || f.options.AnyElementType:
		return errors.New("--noise was measured for one shape and element type; drop " +
			"--no-shape-check and --no-type-check, or drop --noise")
	}
	return nil
}
