// Package compareflags converts flags to [compare.Options]. It supports Polygraphy's flags, such as
// --atol 1e-3 logits:1e-2 --check-error-stat median, and some additional ones.
package compareflags

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/precision"
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
	bars       compare.Bars
	distance   func(actual, expected *tensor.Tensor) (float64, error)
	lower      precision.Format // judge by its error instead of tolerances; "" if not given
}

// List returns the flags of a comparison by tolerances. Contradictions between them are reported by
// [Flags.Options].
func (f *Flags) List() []arguments.Flag {
	o := &f.options
	return slices.Concat([]arguments.Flag{
		arguments.Spelled("--compare, --compare-func FUNCTION ...", f.compareBy),
	}, f.Tolerances(), []arguments.Flag{
		f.threshold("--error-quantile [OUTPUT:]Q ..."),
		f.threshold("--allow-mismatch [OUTPUT:]FRACTION ..."),
		f.threshold("--index-tolerance [OUTPUT:]N ..."),
		f.threshold("--l2-threshold, --l2-tolerance [OUTPUT:]X ..."),
		f.threshold("--cosine-similarity-threshold [OUTPUT:]X ..."),
		f.threshold("--psnr-threshold, --psnr-tolerance [OUTPUT:]DB ..."),
		f.threshold("--snr-threshold, --snr-tolerance [OUTPUT:]DB ..."),
		f.threshold("--ulp-threshold [OUTPUT:]N ..."),
		f.threshold("--norm-relative-threshold [OUTPUT:]X ..."),
		f.threshold("--kl-threshold [OUTPUT:]X ..."),
		f.threshold("--lpips-threshold, --lpips-tolerance [OUTPUT:]X ..."),
		arguments.Spelled("--postprocess, --postprocess-func [OUTPUT:]top-K[,axis=A] ...",
			arguments.Each(topK, func(top values.Named[compare.TopK]) {
				if f.topK == nil {
					f.topK = map[string]compare.TopK{}
				}
				f.topK[top.Name] = top.Value
			})),
		arguments.Spelled("--output-names ACTUAL:EXPECTED ...", f.outputNames),
		arguments.Spelled("--only OUTPUT ...", f.names(&o.Only)),
		arguments.Spelled("--except OUTPUT ...", f.names(&o.Except)),
		arguments.Spelled("--infinities-compare-equal", arguments.Set(&o.InfinitiesEqual)),
		arguments.Spelled("--nans-compare-equal", arguments.Set(&o.NaNEqual)),
		arguments.Spelled("--no-shape-check", arguments.Set(&o.AnyShape)),
		arguments.Spelled("--no-type-check", arguments.Set(&o.AnyElementType)),
		arguments.Spelled("--validate", arguments.Set(&o.Finite)),
		arguments.Spelled("--allow-empty", arguments.Set(&o.AllowEmpty)),
		arguments.Spelled("--fail-fast", arguments.Set(&o.FailFast)),
		arguments.Spelled("--check-average", arguments.Set(&o.Average)),
		arguments.Spelled("--compare-outputs", arguments.Set(&f.asked)),
	})
}

// Tolerances returns the flags for elementwise tolerances. They apply to the outputs of any engine.
func (f *Flags) Tolerances() []arguments.Flag {
	return []arguments.Flag{f.threshold("--atol, --abs-tol [OUTPUT:]X ..."),
		f.threshold("--rtol, --rel-tol [OUTPUT:]X ..."),
		arguments.Spelled("--check-error-stat [OUTPUT:]STAT ...", arguments.Each(statistic,
			func(stat values.Named[string]) {
				f.stats.add("--check-error-stat", stat.Name, stat.Value)
			}))}
}

// Asked reports whether the command line has a flag that only makes sense for a comparison.
func (f *Flags) Asked() bool {
	return f.asked || f.noise || f.lower != "" ||
		len(f.thresholds) > 0 || len(f.stats) > 0 || len(f.topK) > 0
}

// Finite reports whether NaN and infinities count as failures. Unlike the other checks, this one
// needs only a single run.
func (f *Flags) Finite() bool { return f.options.Finite }

// names returns a function that adds the names of outputs, or patterns for them, to a field.
func (f *Flags) names(field *[]string) func([]string) error {
	return func(words []string) error {
		if slices.Contains(words, "") {
			return errors.New("an output's name is empty")
		}
		*field = append(*field, words...)
		f.asked = true
		return nil
	}
}

// threshold returns a flag whose values are numbers. Each number applies to all outputs or, with a
// name in front, to one output.
func (f *Flags) threshold(usage string) arguments.Flag {
	flag := arguments.Spelled(usage, nil)
	flag.Apply = arguments.Each(values.Number, func(number values.Named[float64]) {
		f.thresholds.add(flag.Name, number.Name, number.Value)
	})
	return flag
}

// outputNames parses words that say which outputs to compare with each other: ACTUAL:EXPECTED, or
// by-position.
func (f *Flags) outputNames(words []string) error {
	for _, text := range words {
		if text == "by-position" {
			f.options.ByPosition = true
			continue
		}
		pair := values.Split(text)
		if pair.Name == "" || pair.Value == "" {
			return fmt.Errorf("%q does not name two outputs; write ACTUAL:EXPECTED", text)
		}
		if f.options.Names == nil {
			f.options.Names = map[string]string{}
		}
		f.options.Names[pair.Name] = pair.Value
	}
	return nil
}
