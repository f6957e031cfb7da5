package cli

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// flagged is an error whose text names flags instead of Go options.
type flagged struct {
	error
	text string
}

func (f flagged) Error() string { return f.text }
func (f flagged) Unwrap() error { return f.error }

// withFlags returns err with a text for the command line: each Go option that the text names is
// replaced by the flag that sets it. flags contains the flags of the command. For each flag on the
// command line, given contains the flag's arguments. An option is not replaced if the text already
// names the flag of the option. An option is also not replaced if the option is part of an engine's
// name, as in "onnxruntime CustomOps(x.so)".
func withFlags(err error, flags []arguments.Flag, given map[string][]string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	named := goOption.ReplaceAllStringFunc(text, func(found string) string {
		option, _, called := strings.Cut(found, "(")
		if called && !strings.Contains(option, ".") && optionFlags[found] == "" {
			return found
		}
		for _, flag := range []string{optionFlags[found], optionFlags[option], usualFlag(option, true),
			usualFlag(option, false)} {
			name, _, _ := strings.Cut(flag, " ")
			if strings.Contains(text, name) && name != "" {
				return found
			}
			if slices.ContainsFunc(flags, func(f arguments.Flag) bool {
				return f.Apply != nil && f.Spells(name)
			}) {
				return sided(name, found, given) + strings.TrimPrefix(flag, name)
			}
		}
		return found
	})
	return flagged{err, named}
}

// sided returns the name of the flag that set a Go option. found is the option as an error spells
// it. The result is flag or, if the option belongs to the expected side, the --expected variant of
// flag.
func sided(flag, found string, given map[string][]string) string {
	named := func(word string) bool { return strings.Contains(found, word) }
	expected := "--expected-" + strings.TrimPrefix(flag, "--")
	words, is := given[expected]
	if is && !slices.ContainsFunc(given[flag], named) &&
		(given[flag] == nil || slices.ContainsFunc(words, named)) {
		return expected
	}
	return flag
}

// goOption matches a Go option, with its arguments if there are any: trt.PoolLimit("workspace", 1).
// Without a package it matches only names of several words, such as TimingCache, and the names
// Along and Average.
var goOption = regexp.MustCompile(`\b(?:(?:[a-z]+|Options)\.[A-Z]\w*|[A-Z]+[a-z]\w*[A-Z]\w*|` +
	`Along|Average)\b(?:\((?:[^()]|\([^()]*\))*\))?`)

// usualFlag returns the flag that sets an option according to the usual rule: --plugin-ep for
// ort.PluginEP or, with the engine, --openvino-device for openvino.Device.
func usualFlag(option string, engine bool) string {
	of, name, _ := strings.Cut(option, ".")
	if name == "" {
		of, name = "", of
	}
	flag := "--"
	if engine {
		flag += cmp.Or(map[string]string{"ort": "onnxrt", "isolated": "subprocess"}[of], of) + "-"
	}
	return flag + strings.ToLower(wordEnd.ReplaceAllString(name, "$1-$2"))
}

var wordEnd = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// optionFlags lists the options that break the rule of usualFlag.
var optionFlags = map[string]string{
	`Along("*", 0)`:      "--batch-axis 0",
	"Along(input, axis)": "--batch-axis INPUT:AXIS",
	"AnyShape":           "--no-shape-check",
	"Average":            "--check-average",
	"InfinitiesEqual":    "--infinities-compare-equal",
	"NaNEqual":           "--nans-compare-equal",
	"TopK":               "TopK", // the operator

	"Options.ByPosition": "--output-names by-position",
	"Options.Finite":     "--validate",
	"Options.Names":      "--output-names",
	"Options.TopK":       "--postprocess",

	"FailCodes":       "--fail-code",
	"IgnoreFailCodes": "--ignore-fail-code",

	"decode.Run":       "--tokens",
	"decode.Steps(1)":  "--steps 1",
	"decode.Stream":    "--frames",
	"edit.InferShapes": "--shape-inference",
	"fixtures.Load":    "--load-inputs",
	"fixtures.Shape":   "--input-shapes",

	"isolated.Patience":                "--subprocess-timeout",
	"openvino.Precision(openvino.Own)": "--openvino-precision own",
	"ort.OptimizationLevel":            "--graph-optimization-level",
	"ort.ProviderOption":               "--provider-options",
	"process.CheckpointName":           "--ckpt",
	"process.Outputs":                  "--tf-outputs",
	"served.Timeout":                   "--process-timeout",

	"EntropyCalibration":         "--calib-base-cls IInt8EntropyCalibrator",
	"LegacyCalibration":          "--calib-base-cls IInt8LegacyCalibrator",
	"MinMaxCalibration":          "--calib-base-cls IInt8MinMaxCalibrator",
	"trt.AmperePlus":             "--hardware-compatibility-level ampere_plus",
	"trt.AuxStreams":             "--max-aux-streams",
	"trt.DLA":                    "--use-dla",
	"trt.DLAStandalone":          "--engine-capability dla_standalone",
	"trt.Debug":                  "--mark-debug",
	"trt.DebugUnfused":           "--mark-unfused-tensors-as-debug-tensors",
	"trt.Detailed":               "--profiling-verbosity detailed",
	"trt.ForWindows":             "--runtime-platform windows_amd64",
	"trt.GPUFallback":            "--allow-gpu-fallback",
	"trt.LayerPrecision":         "--layer-precisions",
	"trt.LegacyCalibration":      "--calib-base-cls IInt8LegacyCalibrator",
	"trt.MarkOnly":               "--trt-outputs",
	"trt.MarkTypes":              "--trt-outputs-by-type",
	"trt.OptimizationLevel":      "--builder-optimization-level",
	"trt.Profile":                "--trt-min-shapes",
	"trt.ProfileIndex":           "--optimization-profile",
	"trt.Range":                  "--trt-min-shapes",
	"trt.Safety":                 "--engine-capability safety",
	"trt.SafetyScope":            "--trt-safety-restricted",
	"trt.SavePlan":               "--save-engine",
	"trt.TensorType":             "--tensor-dtypes",
	"trt.Unmark":                 "--trt-exclude-outputs",
	"trt.WeightStreamingPercent": "--weight-streaming-budget",
}
