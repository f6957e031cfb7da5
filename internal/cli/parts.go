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
type section[R any] struct {
	title string
	flags []arguments.Flag[R]
}

// part returns a section whose flags set one field of the request.
func part[R, P any](title string, of func(*R) *P, flags ...arguments.Flag[P]) section[R] {
	return section[R]{title, arguments.Lift(of, flags)}
}

func inputSection[R any](of func(*R) *inputflags.Flags) section[R] {
	list := arguments.Taken[inputflags.Flags](
		"--input-shapes, --inputs INPUT:[D0,D1] ...", "--seed N", "--val-range [INPUT:][LOW,HIGH] ...",
		"--iterations, --iters N", "--load-inputs, --load-input-data, --input-file FILE ...",
		"--cast-inputs", "--data-loader-backend-module MODULE")
	for i, f := range list {
		if f.Name == "--load-inputs" {
			list[i].File = files.Reads
		}
	}
	return part("Inputs", of, append(list, loaderFlags...)...)
}

func comparisonSection[R any](of func(*R) *compareflags.Flags) section[R] {
	return part("Comparison", of, arguments.Taken[compareflags.Flags](
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
func ruleSection[R any](of func(*R) *compareflags.Flags) section[R] {
	return part("Comparison", of, append(arguments.Taken[compareflags.Flags](
		"--atol, --abs-tol [OUTPUT:]X ...", "--rtol, --rel-tol [OUTPUT:]X ...",
		"--check-error-stat [OUTPUT:]STAT ...", "--noise"), falseAlarm("--noise")...)...)
}

// noiseFlags replace tolerances with measured noise, or with the rounding error of a number format.
// Only commands that run an engine have them.
var noiseFlags = slices.Concat(
	arguments.Taken[compareflags.Flags]("--noise", "--no-worse-than PRECISION"),
	falseAlarm("--noise", "--no-worse-than"),
	arguments.Needing([]string{"--no-worse-than"},
		arguments.Taken[compareflags.Flags]("--as-published")...))

// falseAlarm returns the flag --false-alarm, which requires one of the flags in judges.
func falseAlarm(judges ...string) []arguments.Flag[compareflags.Flags] {
	return arguments.Needing(judges,
		arguments.Taken[compareflags.Flags]("--false-alarm PROBABILITY")...)
}

// markSection returns the flags that choose the tensors of an ONNX graph to compare.
func markSection[R any](of func(*R) *loaders.Selection) section[R] {
	return part("Tensors", of,
		arguments.Spelled("--onnx-outputs TENSOR ...", func(s *loaders.Selection, words []string) error {
			s.Names = append(s.Names, values.Marked(words)...)
			return nil
		}),
		arguments.Spelled("--onnx-exclude-outputs, --exclude-outputs TENSOR ...",
			arguments.Texts(func(s *loaders.Selection) *[]string { return &s.Except })),
		arguments.Spelled("--onnx-outputs-by-type OPERATOR ...",
			arguments.Texts(func(s *loaders.Selection) *[]string { return &s.Ops })),
		arguments.Spelled("--mark-all",
			arguments.Set(func(s *loaders.Selection) *bool { return &s.All })))
}

// resultSection returns a section with the flags about reports and printed text.
func resultSection[R any](of func(*R) *outputs, flags ...[]arguments.Flag[outputs]) section[R] {
	s := section[R]{title: "Results"}
	for _, list := range flags {
		s.flags = append(s.flags, arguments.Lift(of, list)...)
	}
	return s
}
