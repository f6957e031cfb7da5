package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
)

// comparisonFlags say how outputs are compared; run and compare have them both.
var comparisonFlags = []flag{
	{Name: "--compare", Also: []string{"--compare-func"}, Arity: arguments.Some, Value: "FUNCTION",
		Help: "What outputs are held to, all of it: " + strings.Join(functionNames(), ", ") +
			". Default: simple.",
		Apply: compareFunctions},
	threshold("--atol", "X", "Absolute tolerance. An element matches where one of --atol and "+
		"--rtol holds. Default: 1e-5.", "--abs-tol"),
	threshold("--rtol", "X", "Relative tolerance, of |expected|. Default: 1e-5.", "--rel-tol"),
	{Name: "--check-error-stat", Arity: arguments.Some, Value: "[OUTPUT:]STAT",
		Help: "Which statistic of the errors is held to the tolerances: elemwise, max, mean, " +
			"median or quantile. Where several are given all must hold. Default: elemwise.",
		Apply: arguments.Each(statistic, func(r *request, stat arguments.Named[string]) {
			r.stats.add("--check-error-stat", stat.Name, stat.Value)
		})},
	threshold("--error-quantile", "Q", "The quantile of --check-error-stat quantile. "+
		"Default: 0.99."),
	threshold("--allow-mismatch", "FRACTION", "Let up to this fraction of the elements be out of "+
		"tolerance. Default: 0."),
	threshold("--index-tolerance", "N", "How far an index may move, for --compare indices. "+
		"Default: 0."),
	threshold("--l2-threshold", "X", "Greatest L2 norm of the difference. Default: 1e-5.",
		"--l2-tolerance"),
	threshold("--cosine-similarity-threshold", "X", "Least cosine similarity. Default: 0.997."),
	threshold("--psnr-threshold", "DB", "Least peak signal-to-noise ratio. Default: 30.",
		"--psnr-tolerance"),
	threshold("--snr-threshold", "DB", "Least signal-to-noise ratio. Default: 20.",
		"--snr-tolerance"),
	threshold("--ulp-threshold", "N", "Greatest distance in representable values, for --compare "+
		"ulp. Default: 1."),
	threshold("--norm-relative-threshold", "X", "Greatest L2 norm of the difference over that of "+
		"the expected output. Default: 1e-5."),
	threshold("--kl-threshold", "X", "Greatest Kullback-Leibler divergence, in nats. Default: 1e-6."),
	{Name: "--postprocess", Also: []string{"--postprocess-func"}, Arity: arguments.Some,
		Value: "[OUTPUT:]top-K[,axis=A]",
		Help:  "Compare the indices of the K greatest values along an axis, the last one by default.",
		Apply: arguments.Each(topK, func(r *request, top arguments.Named[compare.TopK]) {
			r.topK[top.Name] = top.Value
		})},
	{Name: "--output-names", Arity: arguments.Some, Value: "ACTUAL:EXPECTED",
		Help: "Outputs that have another name on the expected side. All others must have one name.",
		Apply: func(r *request, values []string) error {
			for _, text := range values {
				pair := arguments.Split(text)
				if pair.Name == "" || pair.Value == "" {
					return fmt.Errorf("%q does not name two outputs; write logits:output_0", text)
				}
				if r.options.Names == nil {
					r.options.Names = map[string]string{}
				}
				r.options.Names[pair.Name] = pair.Value
			}
			return nil
		}},
	option("--infinities-compare-equal", "An infinity equals the same infinity.",
		func(o *compare.Options) *bool { return &o.InfinitiesEqual }),
	option("--nans-compare-equal", "NaN equals NaN.",
		func(o *compare.Options) *bool { return &o.NaNEqual }),
	option("--no-shape-check", "Permute or reshape the expected output towards the actual one's "+
		"shape.", func(o *compare.Options) *bool { return &o.AnyShape }),
	option("--no-type-check", "Compare outputs of different element types.",
		func(o *compare.Options) *bool { return &o.AnyElementType }),
	option("--validate", "NaN and infinities fail on either side. It also checks a run alone.",
		func(o *compare.Options) *bool { return &o.Finite }),
	option("--allow-empty", "Outputs that are all empty on both sides pass; without it that is an "+
		"error, because nothing was compared.",
		func(o *compare.Options) *bool { return &o.AllowEmpty }),
	option("--fail-fast", "Stop at the first output that differs.",
		func(o *compare.Options) *bool { return &o.FailFast }),
	option("--check-average", "Hold the average over the iterations to the tolerances, not each "+
		"iteration.", func(o *compare.Options) *bool { return &o.Average }),
	{Name: "--compare-outputs", Help: "Compare, which is what happens anyway.",
		Apply: arguments.Set(func(r *request) *bool { return &r.asked })},
}

// threshold is a flag with numbers for outputs.
func threshold(name, value, help string, also ...string) flag {
	return flag{Name: name, Also: also, Arity: arguments.Some, Value: "[OUTPUT:]" + value, Help: help,
		Apply: arguments.Each(arguments.Number, func(r *request, number arguments.Named[float64]) {
			r.thresholds.add(name, number.Name, number.Value)
		})}
}

// option is a switch of the comparison.
func option(name, help string, of func(*compare.Options) *bool) flag {
	return flag{Name: name, Help: help, Apply: func(r *request, _ []string) error {
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
func compareFunctions(r *request, values []string) error {
	for _, name := range values {
		if name == "perceptual_metrics" {
			return fmt.Errorf("perceptual_metrics (LPIPS) needs a neural network of its own; " +
				"polygraphy has it where torch and lpips are installed")
		}
		if err := choice(name, functionNames()...); err != nil {
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
func statistic(text string) (arguments.Named[string], error) {
	split := arguments.Split(text)
	known := []string{"elemwise", "max", "mean", "median", "quantile", "elementwise"}
	if !slices.Contains(known, split.Value) {
		return split, fmt.Errorf("%q is not a statistic; write %s", split.Value,
			strings.Join(known[:5], ", "))
	}
	return split, nil
}

// topK reads [OUTPUT:]top-K[,axis=A].
func topK(text string) (arguments.Named[compare.TopK], error) {
	split := arguments.Split(text)
	named := arguments.Named[compare.TopK]{Name: split.Name}
	wrong := fmt.Errorf("%q is not a post-processing; write top-5, or logits:top-5,axis=1", text)
	k, axis, hasAxis := strings.Cut(split.Value, ",axis=")
	k, isTop := strings.CutPrefix(k, "top-")
	if !isTop {
		return named, wrong
	}
	n, err := arguments.Count(k, 0)
	if err != nil {
		return named, wrong
	}
	named.Value = compare.Top(n)
	if hasAxis {
		at, err := arguments.Integer(axis)
		if err != nil || at.Name != "" {
			return named, wrong
		}
		named.Value.Axis = at.Value
	}
	return named, nil
}
