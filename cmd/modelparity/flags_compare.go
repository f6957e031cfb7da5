package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/values"
)

// comparisonFlags say how outputs are compared; run and compare have them both.
var comparisonFlags = []flag{
	arguments.Spelled("--compare, --compare-func FUNCTION ...", compareFunctions),
	threshold("--atol", "X", "--abs-tol"),
	threshold("--rtol", "X", "--rel-tol"),
	arguments.Spelled("--check-error-stat [OUTPUT:]STAT ...",
		arguments.Each(statistic, func(r *request, stat values.Named[string]) {
			r.stats.add("--check-error-stat", stat.Name, stat.Value)
		})),
	threshold("--error-quantile", "Q"),
	threshold("--allow-mismatch", "FRACTION"),
	threshold("--index-tolerance", "N"),
	threshold("--l2-threshold", "X", "--l2-tolerance"),
	threshold("--cosine-similarity-threshold", "X"),
	threshold("--psnr-threshold", "DB", "--psnr-tolerance"),
	threshold("--snr-threshold", "DB", "--snr-tolerance"),
	threshold("--ulp-threshold", "N"),
	threshold("--norm-relative-threshold", "X"),
	threshold("--kl-threshold", "X"),
	arguments.Spelled("--postprocess, --postprocess-func [OUTPUT:]top-K[,axis=A] ...",
		arguments.Each(topK, func(r *request,
			top values.Named[compare.TopK]) {
			r.topK[top.Name] = top.Value
		})),
	arguments.Spelled("--output-names ACTUAL:EXPECTED ...", func(r *request, words []string) error {
		for _, text := range words {
			pair := values.Split(text)
			if pair.Name == "" || pair.Value == "" {
				return fmt.Errorf("%q does not name two outputs; write logits:output_0", text)
			}
			if r.options.Names == nil {
				r.options.Names = map[string]string{}
			}
			r.options.Names[pair.Name] = pair.Value
		}
		return nil
	}),
	option("--infinities-compare-equal", func(o *compare.Options) *bool { return &o.InfinitiesEqual }),
	option("--nans-compare-equal", func(o *compare.Options) *bool { return &o.NaNEqual }),
	option("--no-shape-check", func(o *compare.Options) *bool { return &o.AnyShape }),
	option("--no-type-check", func(o *compare.Options) *bool { return &o.AnyElementType }),
	option("--validate", func(o *compare.Options) *bool { return &o.Finite }),
	option("--allow-empty", func(o *compare.Options) *bool { return &o.AllowEmpty }),
	option("--fail-fast", func(o *compare.Options) *bool { return &o.FailFast }),
	option("--check-average", func(o *compare.Options) *bool { return &o.Average }),
	arguments.Spelled("--compare-outputs", arguments.Set(func(r *request) *bool { return &r.asked })),
}

// threshold is a flag with numbers for outputs.
func threshold(name, value string, also ...string) flag {
	return flag{Name: name, Also: also, Arity: arguments.Some, Value: "[OUTPUT:]" + value,
		Apply: arguments.Each(values.Number, func(r *request, number values.Named[float64]) {
			r.thresholds.add(name, number.Name, number.Value)
		})}
}

// option is a switch of the comparison.
func option(name string, of func(*compare.Options) *bool) flag {
	return flag{Name: name, Apply: func(r *request, _ []string) error {
		*of(&r.options) = true
		return nil
	}}
}

// functionNames lists what --compare takes.
func functionNames() []string {
	var names []string
	for _, rule := range rules {
		names = append(names, rule.name)
	}
	return append(names, "distance_metrics", "quality_metrics")
}

// compareFunctions takes the names of --compare apart.
func compareFunctions(r *request, words []string) error {
	for _, name := range words {
		if name == "perceptual_metrics" {
			return fmt.Errorf("perceptual_metrics (LPIPS) needs a neural network of its own; " +
				"polygraphy has it where torch and lpips are installed")
		}
		if err := values.Choice(name, functionNames()...); err != nil {
			return err
		}
		if members, ok := groups[name]; ok {
			r.functions = append(r.functions, members...)
		} else {
			r.functions = append(r.functions, name)
		}
	}
	r.asked = true
	return nil
}

// statistic reads [OUTPUT:]STAT.
func statistic(text string) (values.Named[string], error) {
	split := values.Split(text)
	known := []string{"elemwise", "max", "mean", "median", "quantile", "elementwise"}
	if !slices.Contains(known, split.Value) {
		return split, fmt.Errorf("%q is not a statistic; write %s", split.Value,
			strings.Join(known[:5], ", "))
	}
	return split, nil
}

// topK reads [OUTPUT:]top-K[,axis=A].
func topK(text string) (values.Named[compare.TopK], error) {
	split := values.Split(text)
	named := values.Named[compare.TopK]{Name: split.Name}
	wrong := fmt.Errorf("%q is not a post-processing; write top-5, or logits:top-5,axis=1", text)
	k, axis, hasAxis := strings.Cut(split.Value, ",axis=")
	k, isTop := strings.CutPrefix(k, "top-")
	if !isTop {
		return named, wrong
	}
	n, err := values.Count(k, 0)
	if err != nil {
		return named, wrong
	}
	named.Value = compare.Top(n)
	if hasAxis {
		at, err := values.Integer(axis)
		if err != nil || at.Name != "" {
			return named, wrong
		}
		named.Value.Axis = at.Value
	}
	return named, nil
}
