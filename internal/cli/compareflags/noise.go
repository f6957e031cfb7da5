package compareflags

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/precision"
)

// Noise reports whether --noise was given, so that outputs are judged by measured noise instead of
// tolerances.
func (f *Flags) Noise() bool { return f.noise }

// Bars returns the limits for --noise and --no-worse-than, with the false-alarm rate from
// --false-alarm.
func (f *Flags) Bars() compare.Bars { return f.bars }

// NoWorseThan returns the precision that --no-worse-than names, or "". If a precision is named,
// outputs are judged by the error that this precision itself causes, instead of by tolerances.
func (f *Flags) NoWorseThan() precision.Format { return f.lower }

// NoiseFlags returns the flags that judge by measured noise instead of tolerances. If precisions is
// true, they include the flags that judge by the rounding error of a number format.
func (f *Flags) NoiseFlags(precisions bool) []arguments.Flag {
	list := []arguments.Flag{arguments.Spelled("--noise", arguments.Set(&f.noise))}
	judges := []string{"--noise"}
	if precisions {
		list = append(list, arguments.Spelled("--no-worse-than PRECISION",
			arguments.Value(precision.Parse, &f.lower)))
		judges = append(judges, "--no-worse-than")
	}
	return append(list, arguments.Needing(judges, f.FalseAlarm())...)
}

// FalseAlarm returns the flag for the rate of false alarms.
func (f *Flags) FalseAlarm() arguments.Flag {
	return arguments.Spelled("--false-alarm PROBABILITY",
		arguments.Value(probability, &f.bars.FalseAlarm))
}

func probability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p < 0.5) {
		return 0, fmt.Errorf("%q is not a probability between 0 and 0.5", text)
	}
	return p, nil
}

// noiseConflict returns an error if --noise or --no-worse-than is combined with a flag that it
// replaces.
func (f *Flags) noiseConflict() error {
	flag := "--noise"
	switch {
	case !f.noise && f.lower == "":
		return nil
	case f.noise && f.lower != "":
		return errors.New("--noise and --no-worse-than cannot be combined; drop one of them")
	case f.lower != "":
		flag = "--no-worse-than"
	}
	if len(f.functions)+len(f.thresholds)+len(f.stats)+len(f.topK) > 0 {
		return fmt.Errorf("%s replaces tolerances; drop --compare, the tolerances, "+
			"--check-error-stat and --postprocess, or drop %[1]s", flag)
	}
	for _, idle := range []struct {
		given bool
		flag  string
	}{
		{f.options.Average, "--check-average"},
		{f.options.NaNEqual, "--nans-compare-equal"},
		{f.options.InfinitiesEqual, "--infinities-compare-equal"},
		{f.options.AnyShape, "--no-shape-check"},
		{f.options.AnyElementType && f.noise, "--no-type-check"},
	} {
		if idle.given {
			return fmt.Errorf("%s has no effect with %s; drop one of them", idle.flag, flag)
		}
	}
	return nil
}
