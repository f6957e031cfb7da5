package main

import (
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
)

// comparisonFlags say how outputs are compared; package compare/flags makes options of them.
var comparisonFlags = setBy(func(r *request) setter { return &r.comparison },
	"--compare, --compare-func FUNCTION ...", "--atol, --abs-tol [OUTPUT:]X ...",
	"--rtol, --rel-tol [OUTPUT:]X ...", "--check-error-stat [OUTPUT:]STAT ...",
	"--error-quantile [OUTPUT:]Q ...", "--allow-mismatch [OUTPUT:]FRACTION ...",
	"--index-tolerance [OUTPUT:]N ...", "--l2-threshold, --l2-tolerance [OUTPUT:]X ...",
	"--cosine-similarity-threshold [OUTPUT:]X ...",
	"--psnr-threshold, --psnr-tolerance [OUTPUT:]DB ...",
	"--snr-threshold, --snr-tolerance [OUTPUT:]DB ...", "--ulp-threshold [OUTPUT:]N ...",
	"--norm-relative-threshold [OUTPUT:]X ...", "--kl-threshold [OUTPUT:]X ...",
	"--postprocess, --postprocess-func [OUTPUT:]top-K[,axis=A] ...",
	"--output-names ACTUAL:EXPECTED ...", "--only OUTPUT ...", "--except OUTPUT ...",
	"--infinities-compare-equal", "--nans-compare-equal",
	"--no-shape-check", "--no-type-check", "--validate", "--allow-empty", "--fail-fast",
	"--check-average", "--compare-outputs")

// setter takes flags by their names, with the words behind them.
type setter interface {
	Set(flag string, words ...string) error
}

// setBy is flags that a part of the request takes by their names.
func setBy(part func(*request) setter, usages ...string) []flag {
	var list []flag
	for _, usage := range usages {
		name, _, _ := strings.Cut(strings.Fields(usage)[0], ",")
		list = append(list, arguments.Spelled(usage, func(r *request, words []string) error {
			return part(r).Set(name, words...)
		}))
	}
	return list
}
