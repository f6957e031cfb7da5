package engineflags

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/values"
)

// flag is an option for engines.
type flag struct {
	needs       []string // the engines that use it; nil means all
	sided       bool     // the flag has an --expected variant
	least, most int      // limits of the number of values
	apply       func(words []string) error
}

// many means that the number of values is not limited.
const many = 1 << 30

// takes describes how many values the flag takes.
func (f flag) takes() string {
	switch {
	case f.most == 0:
		return "no value"
	case f.most == 1:
		return "one value"
	}
	return "one value or more"
}

// table returns the definitions of all options except TensorRT's.
func (f *Flags) table() map[string]flag {
	ortOnly, openvinoOnly, tractOnly, genaiOnly := []string{onnxrt}, []string{openvinoRunner},
		[]string{tractRunner}, []string{genaiRunner}
	session := &f.onnxruntime.session
	return map[string]flag{
		"--warm-up": {Runners(), false, 1, 1,
			arguments.Value(number(func(n int) int { return n }), &f.warmUp)},
		"--model-type":         {Runners(), false, 1, 1, f.setModelType},
		"--sequential-runners": {nil, false, 0, 0, func([]string) error { return nil }},
		"--use-subprocess":     {Runners(), false, 0, 0, arguments.Set(&f.isolation.On)},
		"--subprocess-memory": {Runners(), false, 1, 1, func(words []string) error {
			return f.isolation.memory(words[0])
		}},
		"--subprocess-timeout": {Runners(), false, 1, 1, func(words []string) error {
			return f.isolation.timeout(words[0])
		}},
		"--fp32": {nil, false, 0, 0, arguments.Set(&f.onnxruntime.fp32)},

		"--graph-optimization-level": {ortOnly, true, 1, 1,
			arguments.Values(optimizationLevel, session)},
		"--onnxrt-accuracy-level": {ortOnly, true, 1, 1, arguments.Values(word(ort.AccuracyLevel,
			ort.AccuracyFloat32, ort.AccuracyBFloat16, ort.AccuracyFloat16, ort.AccuracyInt8), session)},
		"--onnxrt-config": {ortOnly, true, 1, many, arguments.Values(pair(ort.Config,
			"cannot read %q: write session.set_denormal_as_zero=1"), session)},
		"--onnxrt-threads": {ortOnly, true, 1, 1, arguments.Values(number(ort.Threads), session)},
		"--providers":      {ortOnly, true, 1, many, arguments.Texts(&f.onnxruntime.providers)},
		"--provider-options": {ortOnly, false, 1, many,
			arguments.Values(providerOption, &f.onnxruntime.providerOptions)},
		"--custom-ops": {ortOnly, true, 1, many, arguments.Texts(&f.onnxruntime.customOps)},
		"--plugin-ep": {ortOnly, true, 1, many, func(words []string) error {
			var options []ort.PluginSetting
			err := arguments.Values(pair(ort.PluginOption,
				"%q does not set an option of the plug-in; write KEY=VALUE"), &options)(words[1:])
			f.onnxruntime.plugins = append(f.onnxruntime.plugins, ort.PluginEP(words[0], options...))
			return err
		}},

		"--openvino-precision": {openvinoOnly, true, 1, 1, arguments.Values(word(openvino.Precision,
			openvino.Float32, openvino.BFloat16, openvino.Float16, openvino.Own), &f.openvino)},
		"--openvino-execution-mode": {openvinoOnly, true, 1, 1, arguments.Values(word(
			openvino.ExecutionMode, openvino.Accuracy, openvino.Performance), &f.openvino)},
		"--openvino-threads": {openvinoOnly, true, 1, 1,
			arguments.Values(number(openvino.Threads), &f.openvino)},
		"--openvino-device": {openvinoOnly, true, 1, 1,
			arguments.Values(word(openvino.Device), &f.openvino)},
		// The flags that name a library have no --expected variant, because a process can load only one
		// library of an engine.
		"--openvino-library": {openvinoOnly, false, 1, 1,
			arguments.Values(word(openvino.Library), &f.openvino)},
		"--openvino-static-shapes": {openvinoOnly, true, 0, 0, func([]string) error {
			f.openvino = append(f.openvino, openvino.StaticShapes())
			return nil
		}},
		"--openvino-property": {openvinoOnly, true, 1, many, arguments.Values(pair(
			openvino.Property, "%q does not set a property; write NUM_STREAMS=2"), &f.openvino)},

		"--process-timeout": {programs, false, 1, 1, arguments.Values(number(
			func(seconds int) process.Option {
				return process.Timeout(time.Duration(seconds) * time.Second)
			}), &f.programs)},
		"--python": {programs, false, 1, 1, arguments.Values(word(process.Python), &f.programs)},
		"--ckpt": {[]string{tfRunner}, false, 1, 1,
			arguments.Values(word(process.CheckpointName), &f.tensorflow)},
		"--tf-outputs": {[]string{tfRunner}, false, 1, many, func(words []string) error {
			f.tensorflow = append(f.tensorflow, process.Outputs(values.Marked(words)...))
			return nil
		}},
		"--served-binary": {[]string{servedRunner}, false, 0, 0, func([]string) error {
			f.served = append(f.served, served.Binary())
			return nil
		}},
		"--served-header": {[]string{servedRunner}, false, 1, many,
			arguments.Values(header, &f.served)},

		"--tract-fp16": {tractOnly, true, 0, 0, func([]string) error {
			f.tract = append(f.tract, tract.FP16())
			return nil
		}},
		"--tract-runtime": {tractOnly, true, 1, 1,
			arguments.Values(word(tract.On, tract.CPU, tract.CUDA, tract.Metal), &f.tract)},
		"--tract-library": {tractOnly, false, 1, 1, arguments.Values(word(tract.Library), &f.tract)},

		"--genai-threads": {genaiOnly, true, 1, 1, arguments.Values(number(genai.Threads), &f.genai)},
		"--genai-overlay": {genaiOnly, true, 1, 1, arguments.Values(word(genai.Overlay), &f.genai)},
		"--genai-library": {genaiOnly, false, 1, 1, arguments.Values(word(genai.Library), &f.genai)},
	}
}

// number returns a function that makes an option of a number of at least 0.
func number[O any](option func(int) O) func(string) (O, error) {
	return func(text string) (O, error) {
		n, err := values.Count(text, 0)
		return option(n), err
	}
}

// word returns a function that makes an option of one of the known words. If none are known, any
// word is accepted.
func word[E ~string, O any](option func(E) O, known ...E) func(string) (O, error) {
	return func(text string) (O, error) {
		texts := make([]string, len(known))
		for i, k := range known {
			texts[i] = string(k)
		}
		if len(known) == 0 {
			return option(E(text)), nil
		}
		return option(E(text)), values.Choice(text, texts...)
	}
}

// pair returns a function that makes an option of KEY=VALUE. wrong is the error for other texts.
func pair[O any](option func(key, value string) O, wrong string) func(string) (O, error) {
	return func(text string) (o O, err error) {
		key, value, found := strings.Cut(text, "=")
		if !found || key == "" {
			return o, fmt.Errorf(wrong, text)
		}
		return option(key, value), nil
	}
}

func header(text string) (o served.Option, err error) {
	name, variable, found := strings.Cut(text, "=")
	if !found || name == "" || variable == "" {
		return o, errors.New("a header needs a name and an environment variable; write " +
			"Authorization=TOKEN") // do not print text, which may be the secret itself
	}
	return served.Header(name, variable), nil
}

// optimizationLevel accepts modelparity's names of the levels and ONNX Runtime's names.
func optimizationLevel(word string) (ort.Option, error) {
	level := ort.Level(strings.ToLower(word))
	if own, ok := levels[strings.ToUpper(word)]; ok {
		level = own
	}
	known := []string{"none", "basic", "extended", "layout", "all"}
	if !slices.Contains(known, string(level)) {
		return ort.Option{}, fmt.Errorf("unknown level %q; use %s", word, strings.Join(known, ", "))
	}
	return ort.OptimizationLevel(level), nil
}

// levels maps ONNX Runtime's names to the levels.
var levels = map[string]ort.Level{
	"ORT_DISABLE_ALL": ort.OptimizeNone, "ORT_ENABLE_BASIC": ort.OptimizeBasic,
	"ORT_ENABLE_EXTENDED": ort.OptimizeExtended, "ORT_ENABLE_LAYOUT": ort.OptimizeLayout,
	"ORT_ENABLE_ALL": ort.OptimizeAll,
}

// providerOption parses PROVIDER:KEY=VALUE.
func providerOption(text string) (o ort.Option, err error) {
	provider, setting, _ := strings.Cut(text, ":")
	key, value, found := strings.Cut(setting, "=")
	if !found || provider == "" || key == "" {
		return o, fmt.Errorf("%q does not set an option; write cuda:use_tf32=1", text)
	}
	return ort.ProviderOption(provider, key, value), nil
}

// setModelType rejects an unsupported type. The error names an alternative.
func (f *Flags) setModelType(words []string) error {
	f.modelType = words[0]
	switch words[0] {
	case "trt-network-script":
		return fmt.Errorf("%s models are not supported: export the model to ONNX, or let polygraphy "+
			"run it with --save-outputs FILE and give FILE to --load-outputs", words[0])
	case "uff", "caffe":
		return fmt.Errorf("%s models are no longer supported, nor by Polygraphy since 0.48: convert "+
			"the model to ONNX", words[0])
	}
	return values.Choice(words[0], "onnx", "engine", "openvino", "frozen", "keras", "ckpt",
		"saved_model")
}

// options returns the options for ONNX Runtime. --fp32 is an error with the TensorRT provider,
// which has no option that turns TF32 off.
func (o onnxruntime) options(warmUp int) ([]ort.Option, error) {
	if o.fp32 && slices.ContainsFunc(o.providers, isTensorRT) &&
		os.Getenv("NVIDIA_TF32_OVERRIDE") != "0" {
		return nil, errors.New("--fp32 has no effect: ONNX Runtime's tensorrt provider uses TF32; " +
			"set NVIDIA_TF32_OVERRIDE=0 in the environment, or run TensorRT with --trt")
	}
	options := slices.Concat(o.session, o.plugins, o.providerOptions, []ort.Option{ort.WarmUp(warmUp)})
	if len(o.customOps) > 0 {
		options = append(options, ort.CustomOps(o.customOps...))
	}
	if len(o.providers) > 0 {
		options = append(options, ort.Providers(o.providers...))
	}
	return options, nil
}

// isTensorRT reports whether a name is a name of ONNX Runtime's TensorRT provider.
func isTensorRT(provider string) bool {
	return slices.Contains([]string{"trt", "tensorrt", "tensorrtexecutionprovider"},
		strings.ToLower(provider))
}
