package cli

import (
	"context"
	"io"
	"slices"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// atLeast returns a function that parses an integer and rejects integers below least.
func atLeast(least int) func(text string) (int, error) {
	return func(text string) (int, error) { return values.Count(text, least) }
}

// running holds the flags about engines and inputs.
type running struct {
	engines engineflags.Flags
	inputs  inputflags.Flags
}

// loud makes the engines write their logs to w with -vv, and in full detail with -vvv.
func (r *running) loud(w io.Writer, volume int) {
	if volume > 1 {
		r.engines.Log(w, volume > 2)
	}
}

// section is a group of flags with a heading in the help.
type section struct {
	title string
	flags []arguments.Flag
}

// part returns a section with the flags.
func part(title string, flags ...arguments.Flag) section { return section{title, flags} }

// inputSection returns the flags that choose the inputs.
func inputSection(inputs *inputflags.Flags) section {
	list := arguments.Taken(inputs,
		"--input-shapes, --inputs INPUT:[D0,D1] ...", "--seed N", "--val-range [INPUT:][LOW,HIGH] ...",
		"--iterations, --iters N", "--load-inputs, --load-input-data, --input-file FILE ...",
		"--cast-inputs", "--data-loader-backend-module MODULE")
	for i, f := range list {
		if f.Name == "--load-inputs" {
			list[i].File = files.Reads
		}
	}
	return part("Inputs", append(list, loaderFlag(inputs))...)
}

func comparisonSection(rule *compareflags.Flags) section {
	return part("Comparison", arguments.Taken(rule,
		"--compare, --compare-func FUNCTION ...", "--atol, --abs-tol [OUTPUT:]X ...",
		"--rtol, --rel-tol [OUTPUT:]X ...", "--check-error-stat [OUTPUT:]STAT ...",
		"--error-quantile [OUTPUT:]Q ...", "--allow-mismatch [OUTPUT:]FRACTION ...",
		"--index-tolerance [OUTPUT:]N ...", "--l2-threshold, --l2-tolerance [OUTPUT:]X ...",
		"--cosine-similarity-threshold [OUTPUT:]X ...",
		"--psnr-threshold, --psnr-tolerance [OUTPUT:]DB ...",
		"--snr-threshold, --snr-tolerance [OUTPUT:]DB ...", "--ulp-threshold [OUTPUT:]N ...",
		"--norm-relative-threshold [OUTPUT:]X ...", "--kl-threshold [OUTPUT:]X ...",
		"--lpips-threshold, --lpips-tolerance [OUTPUT:]X ...",
		"--postprocess, --postprocess-func [OUTPUT:]top-K[,axis=A] ...",
		"--output-names ACTUAL:EXPECTED ...", "--only OUTPUT ...", "--except OUTPUT ...",
		"--infinities-compare-equal", "--nans-compare-equal",
		"--no-shape-check", "--no-type-check", "--validate", "--allow-empty", "--fail-fast",
		"--check-average", "--compare-outputs")...)
}

// perceptive adds the LPIPS metric to the flags. The metric starts a Python program when the first
// image is compared.
func perceptive(ctx context.Context, f *compareflags.Flags) *compareflags.Flags {
	f.Perceptual(process.StartLPIPS(ctx).Distance)
	return f
}

// ruleSection returns the comparison flags of commands that judge many runs by a single rule.
func ruleSection(rule *compareflags.Flags) section {
	return part("Comparison", append(arguments.Taken(rule, toleranceFlags...), noiseFlags(rule)...)...)
}

// toleranceFlags are the comparison flags that every engine's outputs can be judged by.
var toleranceFlags = []string{"--atol, --abs-tol [OUTPUT:]X ...",
	"--rtol, --rel-tol [OUTPUT:]X ...", "--check-error-stat [OUTPUT:]STAT ..."}

// noiseFlags replace tolerances by measured noise.
func noiseFlags(rule *compareflags.Flags) []arguments.Flag {
	return append(arguments.Taken(rule, "--noise"), falseAlarm(rule, "--noise")...)
}

// noiseSection returns the flags that replace tolerances by measured noise, or by the rounding
// error of a number format. Only commands that run an engine have them.
func noiseSection(rule *compareflags.Flags) section {
	return part("Noise", slices.Concat(arguments.Taken(rule, "--noise", "--no-worse-than PRECISION"),
		falseAlarm(rule, "--noise", "--no-worse-than"), arguments.Needing([]string{"--no-worse-than"},
			arguments.Taken(rule, "--as-published")...))...)
}

// falseAlarm returns the flag --false-alarm, which requires one of the flags in judges.
func falseAlarm(rule *compareflags.Flags, judges ...string) []arguments.Flag {
	return arguments.Needing(judges, arguments.Taken(rule, "--false-alarm PROBABILITY")...)
}

// markSection returns the flags that choose the tensors of an ONNX graph to compare.
func markSection(marks *loaders.Selection) section {
	return part("Tensors",
		arguments.Spelled("--onnx-outputs TENSOR ...", func(words []string) error {
			marks.Names = append(marks.Names, values.Marked(words)...)
			return nil
		}),
		arguments.Spelled("--onnx-exclude-outputs, --exclude-outputs TENSOR ...",
			arguments.Texts(&marks.Except)),
		arguments.Spelled("--onnx-outputs-by-type OPERATOR ...", arguments.Texts(&marks.Ops)),
		arguments.Spelled("--mark-all", arguments.Set(&marks.All)))
}

// resultSection returns a section with the flags about reports and printed text.
func resultSection(flags ...[]arguments.Flag) section {
	return section{"Results", slices.Concat(flags...)}
}
