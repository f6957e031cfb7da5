package compareflags

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// Noise reports whether --noise was given, so that outputs are judged by measured noise instead of
// tolerances.
func (f *Flags) Noise() bool { return f.noise }

// Bars returns the limits for --noise, with the rate from --false-alarm.
func (f *Flags) Bars() compare.NoiseBars { return f.bars }

// NoWorseThan returns the precision that --no-worse-than names, or "". If a precision is named,
// outputs are judged by the error that this precision itself causes, instead of by tolerances.
func (f *Flags) NoWorseThan() string { return f.lower }

// PrecisionBars returns the limits for --no-worse-than, with the values of --false-alarm and
// --as-published.
func (f *Flags) PrecisionBars() compare.PrecisionBars {
	return compare.PrecisionBars{FalseAlarm: f.bars.FalseAlarm, Published: f.published}
}

// NoiseFlags returns the flags that judge by measured noise instead of tolerances. If precisions is
// true, they include the flags that judge by the rounding error of a number format.
func (f *Flags) NoiseFlags(precisions bool) []arguments.Flag {
	list := []arguments.Flag{arguments.Spelled("--noise", arguments.Set(&f.noise))}
	judges := []string{"--noise"}
	if precisions {
		list = append(list, arguments.Spelled("--no-worse-than PRECISION", arguments.Text(&f.lower)))
		judges = append(judges, "--no-worse-than")
	}
	list = append(list, arguments.Needing(judges, f.FalseAlarm())...)
	if precisions {
		list = append(list, arguments.Needing([]string{"--no-worse-than"},
			arguments.Spelled("--as-published", arguments.Set(&f.published)))...)
	}
	return list
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
		return errors.New("--noise and --no-worse-than exclude each other; drop one of them")
	case f.lower != "":
		flag = "--no-worse-than"
	}
	switch {
	case len(f.functions)+len(f.thresholds)+len(f.stats)+len(f.topK) > 0:
		return fmt.Errorf("%s replaces tolerances; drop --compare, the tolerances, "+
			"--check-error-stat and --postprocess, or drop %[1]s", flag)
	case f.options.Average:
		return fmt.Errorf("--check-average has no effect with %s, whose errors are not averaged; "+
			"drop one of them", flag)
	case f.options.NaNEqual || f.options.InfinitiesEqual:
		return fmt.Errorf("--nans-compare-equal and --infinities-compare-equal have no effect with "+
			"%s, which always sets both; drop them", flag)
	case f.options.AnyShape:
		return fmt.Errorf("%s needs equal shapes; drop --no-shape-check, or drop %[1]s", flag)
	case f.options.AnyElementType && f.noise:
		return errors.New("--noise needs equal element types; drop --no-type-check, or drop --noise")
	case f.published && f.bars.FalseAlarm != 0:
		return errors.New("--false-alarm has no effect with --as-published, whose limits are fixed; " +
			"drop one of them")
	}
	return nil
}
