package ort

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. By default it runs on the CPU provider with every graph
// optimisation and one thread. One thread is the default because the number of threads changes the
// last digits, and a golden file must not depend on how many cores a machine has.
//
// An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

// Library uses the shared library at path. A process can load only one ONNX Runtime: it is an error
// if a different library is already loaded. Without this option, the library is found as described
// at [Require].
func Library(path string) Option {
	return option.Field(option.Call("ort.Library", path), path,
		func(s *settings) *string { return &s.Library },
		option.Refuse(path == "", "the path is empty; pass the path of a libonnxruntime"))
}

// Release uses a release of ONNX Runtime that `modelparity setup --release` or `modelparity bisect`
// has fetched into the cache, such as "1.24.4". modelparity knows the release's checksum, so the
// module's modelparity.lock need not list it. A process can load only one ONNX Runtime: to run
// several releases, run each in its own process, as isolated.Releases does.
func Release(version string) Option {
	return option.Field(option.Call("ort.Release", version), version,
		func(s *settings) *string { return &s.Release },
		option.Refuse(version == "", "the release is empty; pass one, such as 1.24.4"))
}

// Level says how far ONNX Runtime rewrites the graph before running it.
type Level string

// The levels. Each level includes the rewrites of the level before it.
const (
	OptimizeNone     Level = "none"
	OptimizeBasic    Level = "basic"    // constant folding and similar rewrites
	OptimizeExtended Level = "extended" // fusions
	OptimizeLayout   Level = "layout"   // memory layout
	OptimizeAll      Level = "all"      // all of the above
)

// level holds a level's name in Go and its value in the C API (enum GraphOptimizationLevel).
type level struct {
	name   string
	number int
}

var levels = map[Level]level{
	OptimizeNone:     {"ort.OptimizeNone", 0},
	OptimizeBasic:    {"ort.OptimizeBasic", 1},
	OptimizeExtended: {"ort.OptimizeExtended", 2},
	OptimizeLayout:   {"ort.OptimizeLayout", 3},
	OptimizeAll:      {"ort.OptimizeAll", 99},
}

// OptimizationLevel sets how far the graph is rewritten; the default is [OptimizeAll].
func OptimizationLevel(level Level) Option {
	known, ok := levels[level]
	shown := option.Enum(level, known.name)
	return option.Field(option.Call("ort.OptimizationLevel", shown), level,
		func(s *settings) *Level { return &s.Level },
		option.Refuse(!ok, "unknown level %q; it must be none, basic, extended, layout or "+
			"all", string(level)))
}

// Accuracy is the precision in which ONNX Runtime computes a MatMulNBits. Its optimiser makes this
// node from a MatMul and the DequantizeLinear of weights of 2, 4 or 8 bits.
type Accuracy string

// The accuracies, which ONNX Runtime numbers 1 to 4. ONNX Runtime's own default is AccuracyInt8,
// which rounds the activations to 8 bits.
const (
	AccuracyFloat32  Accuracy = "float32"
	AccuracyFloat16  Accuracy = "float16"
	AccuracyBFloat16 Accuracy = "bfloat16"
	AccuracyInt8     Accuracy = "int8"
)

// accuracy holds a value of type Accuracy, and the Go name of that value, such as
// ort.AccuracyFloat32.
type accuracy struct {
	Accuracy
	text string
}

// accuracies lists the accuracies by level.
var accuracies = []accuracy{{"", ""}, {AccuracyFloat32, "ort.AccuracyFloat32"},
	{AccuracyFloat16, "ort.AccuracyFloat16"}, {AccuracyBFloat16, "ort.AccuracyBFloat16"},
	{AccuracyInt8, "ort.AccuracyInt8"}}

// AccuracyLevel sets the lowest precision that ONNX Runtime may use in matrix multiplications with
// weights of 2, 4 or 8 bits; the default is [AccuracyFloat32]. A MatMulNBits in the model itself
// keeps its attribute accuracy_level. The provenance of every run names the nodes that are not
// computed in float32.
func AccuracyLevel(a Accuracy) Option {
	level := accuracyLevel(a)
	shown := option.Enum(a, accuracies[max(level, 0)].text)
	return option.Field(option.Call("ort.AccuracyLevel", shown), a,
		func(s *settings) *Accuracy { return &s.Accuracy },
		option.Refuse(level < 1, "unknown accuracy %q; it must be float32, bfloat16, float16 or int8",
			string(a)))
}

// accuracyLevel returns ONNX Runtime's number for an accuracy, or -1.
func accuracyLevel(a Accuracy) int {
	return slices.IndexFunc(accuracies, func(known accuracy) bool { return known.Accuracy == a })
}

// Threads sets the number of threads that compute one operator; the default is 1. With 0, ONNX
// Runtime uses one per core.
func Threads(n int) Option {
	return option.Field(option.Call("ort.Threads", n), n,
		func(s *settings) *int { return &s.Threads }, option.Refuse(n < 0 || n > mostThreads,
			"the number must be between 0 and %d; with 0, ONNX Runtime chooses it from the number of "+
				"cores", mostThreads))
}

// mostThreads is the largest accepted number of threads, more than any machine can
// use. ONNX Runtime starts as many threads as requested, each with its own stack, and aborts the
// process if it cannot start them.
const mostThreads = 1024

// Providers names the execution providers in order of preference: cpu, cuda, tensorrt, or a name as
// ONNX Runtime lists it (XnnpackExecutionProvider). A provider that the library lacks, or that does
// not start, is an error. A node that no named provider can run is an error too: nothing falls back
// to the CPU unless "cpu" is the last name. It is also an error if the preferred provider runs no
// nodes. If several providers share a model, the provenance of every run says how many nodes each
// provider runs, and which operators the preferred provider left to the others.
//
// With cuda, float32 means float32. ONNX Runtime's own default is TF32, which rounds the inputs of
// matrix multiplications and convolutions to 10 bits of mantissa; ProviderOption("cuda",
// "use_tf32", "1") restores it. The tensorrt provider has no such option and uses TF32 unless the
// process's environment has NVIDIA_TF32_OVERRIDE=0.
func Providers(names ...string) Option {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = shortName(name)
	}
	call := option.Call("ort.Providers", option.Args(short)...)
	return option.New(call, func(s *settings) error {
		if len(names) == 0 {
			return errors.New("no provider given; pass cpu, cuda or tensorrt")
		}
		s.Providers = nil
		var wrong []error
		for _, name := range names {
			full, err := providerName(name)
			wrong = append(wrong, err)
			s.Providers = append(s.Providers, full)
		}
		return errors.Join(wrong...)
	})
}

// ProviderOption sets an option of a provider that [Providers] names, such as ("tensorrt",
// "trt_fp16_enable", "1"). The keys are ONNX Runtime's own; it rejects unknown keys.
func ProviderOption(provider, key, value string) Option {
	call := option.Call("ort.ProviderOption", shortName(provider), key, value)
	return option.New(call, func(s *settings) error {
		full, err := providerName(provider)
		switch {
		case err != nil:
			return err
		case full == onnxruntime.CPU:
			return errors.New("the CPU provider has no options; to configure the session, use ort.Config")
		case key == "":
			return errors.New("the key is empty; pass the name of a provider option")
		}
		put(&s.ProviderOptions, full, map[string]string{})
		s.ProviderOptions[full][key] = value
		return nil
	})
}

// PluginEP runs the model on the plug-in execution provider of the library at path. Paths are
// relative to the test's folder, like model paths; "webgpu" is the library that `modelparity setup
// --webgpu` fetches:
//
//	ort.Run(ctx, model, inputs, ort.PluginEP("webgpu"))
//	ort.Run(ctx, model, inputs, ort.PluginEP("build/libacme_ep.so", ort.PluginOption("tiles", "4")),
//		ort.Providers("cpu"))
//
// The provider takes precedence over the providers named in [Providers], and runs on the first
// device that it offers. A node that it cannot run is an error unless Providers names a further
// provider, as in the second line. If the module has a modelparity.lock, only a library with a
// checksum from that file is used. Load only libraries that you trust: their code runs in this
// process, and they stay loaded until the process ends.
func PluginEP(path string, options ...PluginSetting) Option {
	call := option.Call("ort.PluginEP", option.Args(options, any(path))...)
	return option.New(call, func(s *settings) error {
		if path == "" {
			return errors.New(`the path is empty; pass the path of a plug-in library, or "webgpu"`)
		}
		p := plugin{Path: path}
		s.Plugins = append(s.Plugins, &p)
		return option.Apply(&p, options...)
	})
}

// PluginSetting is an option of a plug-in execution provider; see [PluginOption].
type PluginSetting = option.Option[plugin]

// PluginOption sets an option of a plug-in execution provider. The keys are the plug-in's own.
func PluginOption(key, value string) PluginSetting {
	return option.New(option.Call("ort.PluginOption", key, value), func(p *plugin) error {
		put(&p.Options, key, "")
		p.Options[key] = value
		return option.Refuse(key == "", "the key is empty; pass the name of a plug-in option")
	})
}

// Config sets an entry of the session's configuration, such as
// ("session.set_denormal_as_zero", "1"). ONNX Runtime ignores unknown keys.
func Config(key, value string) Option {
	return option.New(option.Call("ort.Config", key, value), func(s *settings) error {
		if key == "" {
			return errors.New("the key is empty; pass one of ONNX Runtime's session configuration keys")
		}
		if s.Config == nil {
			s.Config = map[string]string{}
		}
		s.Config[key] = value
		return nil
	})
}

// WarmUp runs the first inputs n times before the measured iterations, so that the engine is warm
// when it is measured; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("ort.WarmUp", n), n, func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of warm-up runs must be 0 or more"))
}

// CustomOps loads shared libraries of custom operators, built for ONNX Runtime's C API with the
// entry point RegisterCustomOps. Paths are relative to the test's folder, like model paths:
//
//	ort.Run(ctx, model, inputs, ort.CustomOps("build/libmyops.so"))
//
// Opening the engine fails if a file is missing, is not such a library, or defines operators that
// clash with existing ones. A run's provenance contains each library's name and checksum. Load only
// libraries that you trust: their code runs in this process.
func CustomOps(paths ...string) Option {
	each := make([]Option, len(paths))
	for i, path := range paths {
		each[i] = option.New(option.Call("ort.CustomOps", path), func(s *settings) error {
			if path == "" {
				return errors.New("the path is empty; pass a shared library that exports RegisterCustomOps")
			}
			if !slices.Contains(s.CustomOps, path) {
				s.CustomOps = append(s.CustomOps, path)
			}
			return nil
		})
	}
	return option.Join(each...)
}

// severities lists the names of log levels, in the order of the C API's enum OrtLoggingLevel.
var severities = []string{"verbose", "info", "warning", "error", "fatal"}

// Log writes ONNX Runtime's log of loading and running the model to w: which nodes go to which
// provider, what each optimisation did, how memory is planned. Messages below level are omitted.
// [slog.LevelDebug] means ONNX Runtime's VERBOSE, and any level above [slog.LevelError] means its
// FATAL. In a spec, pass GinkgoWriter, which shows the log only if the spec fails:
//
//	ort.Run(ctx, model, inputs, ort.Log(GinkgoWriter, slog.LevelDebug))
//
// Messages that belong to no session, such as those about the search for devices, are always
// omitted. Without this option nothing is logged; errors contain ONNX Runtime's text in either
// case.
func Log(w io.Writer, level slog.Level) Option {
	return option.LeftOut("ort.Log", "a writer", func(s *settings) error {
		if w == nil {
			return errors.New("the writer is nil; pass GinkgoWriter or os.Stderr")
		}
		from := slices.IndexFunc([]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn,
			slog.LevelError, math.MaxInt}, func(most slog.Level) bool { return level <= most })
		s.log = &onnxruntime.Log{From: onnxruntime.Severity(from), Write: func(l onnxruntime.Line) {
			fmt.Fprintf(w, "[ONNX Runtime %s] %s\n", severities[l.Severity], l.Message)
		}}
		return nil
	})
}

// executionProvider is the suffix of every provider's name.
const executionProvider = "ExecutionProvider"

// knownProviders lists the providers in ONNX Runtime's releases, without the suffix of their names.
// [Providers] accepts any unambiguous prefix of a name in this list; other providers need their
// full name.
var knownProviders = []string{"CPU", "CUDA", "Tensorrt", "NvTensorRTRTX", "OpenVINO", "Dnnl",
	"ROCM", "MIGraphX", "CoreML", "Xnnpack", "QNN", "Dml", "WebGpu", "ACL", "ArmNN", "VitisAI",
	"Nnapi", "Azure", "CANN", "Rknpu", "SNPE"}

// shortNames maps providers to the shorter names that this package defines.
var shortNames = map[string]string{onnxruntime.CPU: "cpu", onnxruntime.CUDA: "cuda",
	onnxruntime.TensorRT: "tensorrt"}

// shortName returns a provider's shortest name, or the full name if the provider has no short one.
func shortName(name string) string {
	full, err := providerName(name)
	if short := shortNames[full]; err == nil && short != "" {
		return short
	}
	return name
}

// providerName returns the name under which ONNX Runtime lists a provider.
func providerName(name string) (string, error) {
	switch {
	case strings.EqualFold(name, "trt"):
		return onnxruntime.TensorRT, nil
	case strings.HasSuffix(name, executionProvider):
		return name, nil
	}
	var fits []string
	for _, known := range knownProviders {
		if name != "" && strings.HasPrefix(strings.ToLower(known+executionProvider),
			strings.ToLower(name)) {
			fits = append(fits, known+executionProvider)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return "", fmt.Errorf("unknown provider %q; it must be cpu, cuda, tensorrt, or a name that "+
			"ends in %s", name, executionProvider)
	}
	return "", fmt.Errorf("provider %q is ambiguous: it matches %s; write more of the name", name,
		strings.Join(fits, ", "))
}
