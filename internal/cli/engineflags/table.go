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
	"github.com/modelparity/modelparity/internal/values"
)

// flag is an option for engines.
type flag struct {
	needs       []string // the engines that use it; nil means all
	sided       bool     // the flag has an --expected variant
	least, most int      // limits of the number of values
	apply       func(f *Flags, words []string) error
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

// table maps the names of all options except TensorRT's to their definitions.
var table = map[string]flag{
	"--warm-up": {Runners(), false, 1, 1, func(f *Flags, words []string) (err error) {
		f.warmUp, err = values.Count(words[0], 0)
		return err
	}},
	"--model-type":         {Runners(), false, 1, 1, modelType},
	"--sequential-runners": {nil, false, 0, 0, func(*Flags, []string) error { return nil }},
	"--use-subprocess": {Runners(), false, 0, 0, func(f *Flags, _ []string) error {
		f.isolation.On = true
		return nil
	}},
	"--subprocess-memory": {Runners(), false, 1, 1, func(f *Flags, words []string) error {
		return f.isolation.memory(words[0])
	}},
	"--subprocess-timeout": {Runners(), false, 1, 1, func(f *Flags, words []string) error {
		return f.isolation.timeout(words[0])
	}},
	"--fp32": {nil, false, 0, 0, func(f *Flags, _ []string) error {
		f.onnxruntime.fp32 = true
		return nil
	}},

	"--graph-optimization-level": {[]string{onnxrt}, true, 1, 1, optimizationLevel},
	"--onnxrt-accuracy-level": {[]string{onnxrt}, true, 1, 1, func(f *Flags, words []string) error {
		accuracy := ort.Accuracy(words[0])
		f.onnxruntime.session = append(f.onnxruntime.session, ort.AccuracyLevel(accuracy))
		return choice(accuracy, []ort.Accuracy{ort.AccuracyFloat32, ort.AccuracyBFloat16,
			ort.AccuracyFloat16, ort.AccuracyInt8})
	}},
	"--onnxrt-config": {[]string{onnxrt}, true, 1, many, func(f *Flags, words []string) error {
		for _, word := range words {
			key, value, given := strings.Cut(word, "=")
			if !given || key == "" {
				return fmt.Errorf("cannot read %q: write session.set_denormal_as_zero=1", word)
			}
			f.onnxruntime.session = append(f.onnxruntime.session, ort.Config(key, value))
		}
		return nil
	}},
	"--onnxrt-threads": {[]string{onnxrt}, true, 1, 1, func(f *Flags, words []string) error {
		n, err := values.Count(words[0], 0)
		f.onnxruntime.session = append(f.onnxruntime.session, ort.Threads(n))
		return err
	}},
	"--providers": {[]string{onnxrt}, true, 1, many, func(f *Flags, words []string) error {
		f.onnxruntime.providers = append(f.onnxruntime.providers, words...)
		return nil
	}},
	"--provider-options": {[]string{onnxrt}, false, 1, many, providerOptions},
	"--custom-ops": {[]string{onnxrt}, true, 1, many, func(f *Flags, words []string) error {
		f.onnxruntime.customOps = append(f.onnxruntime.customOps, words...)
		return nil
	}},
	"--plugin-ep": {[]string{onnxrt}, true, 1, many, func(f *Flags, words []string) error {
		var options []ort.PluginSetting
		for _, word := range words[1:] {
			key, value, found := strings.Cut(word, "=")
			if !found || key == "" {
				return fmt.Errorf("%q does not set an option of the plug-in; write KEY=VALUE", word)
			}
			options = append(options, ort.PluginOption(key, value))
		}
		f.onnxruntime.plugins = append(f.onnxruntime.plugins, ort.PluginEP(words[0], options...))
		return nil
	}},

	"--openvino-precision": ofOpenVINO(openvino.Precision, openvino.Float32, openvino.BFloat16,
		openvino.Float16, openvino.Own),
	"--openvino-execution-mode": ofOpenVINO(openvino.ExecutionMode, openvino.Accuracy,
		openvino.Performance),
	"--openvino-threads": {[]string{openvinoRunner}, true, 1, 1,
		func(f *Flags, words []string) error {
			n, err := values.Count(words[0], 0)
			f.openvino = append(f.openvino, openvino.Threads(n))
			return err
		}},
	"--openvino-device":  ofOpenVINO(openvino.Device),
	"--openvino-library": common(ofOpenVINO(openvino.Library)),
	"--openvino-static-shapes": {[]string{openvinoRunner}, true, 0, 0,
		func(f *Flags, _ []string) error {
			f.openvino = append(f.openvino, openvino.StaticShapes())
			return nil
		}},
	"--openvino-property": {[]string{openvinoRunner}, true, 1, many,
		func(f *Flags, words []string) error {
			for _, text := range words {
				key, value, found := strings.Cut(text, "=")
				if !found || key == "" {
					return fmt.Errorf("%q does not set a property; write NUM_STREAMS=2", text)
				}
				f.openvino = append(f.openvino, openvino.Property(key, value))
			}
			return nil
		}},

	"--process-timeout": {programs, false, 1, 1, func(f *Flags, words []string) error {
		seconds, err := values.Count(words[0], 0)
		f.programs = append(f.programs, process.Timeout(time.Duration(seconds)*time.Second))
		return err
	}},
	"--ckpt": {[]string{tfRunner}, false, 1, 1, func(f *Flags, words []string) error {
		f.tensorflow = append(f.tensorflow, process.CheckpointName(words[0]))
		return nil
	}},
	"--tf-outputs": {[]string{tfRunner}, false, 1, many, func(f *Flags, words []string) error {
		f.tensorflow = append(f.tensorflow, process.Outputs(values.Marked(words)...))
		return nil
	}},
	"--served-binary": {[]string{servedRunner}, false, 0, 0, func(f *Flags, _ []string) error {
		f.served = append(f.served, served.Binary())
		return nil
	}},
	"--served-header": {[]string{servedRunner}, false, 1, many, func(f *Flags, words []string) error {
		for _, word := range words {
			name, variable, found := strings.Cut(word, "=")
			if !found || name == "" || variable == "" {
				return errors.New("a header needs a name and an environment variable; write " +
					"Authorization=TOKEN") // do not print word, which may be the secret itself
			}
			f.served = append(f.served, served.Header(name, variable))
		}
		return nil
	}},
	"--python": {programs, false, 1, 1, func(f *Flags, words []string) error {
		f.programs = append(f.programs, process.Python(words[0]))
		return nil
	}},

	"--tract-fp16": {[]string{tractRunner}, true, 0, 0, func(f *Flags, _ []string) error {
		f.tract = append(f.tract, tract.FP16())
		return nil
	}},
	"--tract-runtime": ofTract(tract.On, tract.CPU, tract.CUDA, tract.Metal),
	"--tract-library": common(ofTract(tract.Library)),

	"--genai-threads": ofGenAI(true, func(word string) (genai.Option, error) {
		n, err := values.Count(word, 0)
		return genai.Threads(n), err
	}),
	"--genai-overlay": ofGenAI(true, func(word string) (genai.Option, error) {
		return genai.Overlay(word), nil
	}),
	"--genai-library": ofGenAI(false, func(word string) (genai.Option, error) {
		return genai.Library(word), nil
	}),
}

// ofOpenVINO returns a flag with one value for an OpenVINO option. If known is not empty, the value
// must be one of known.
func ofOpenVINO[E ~string](option func(E) openvino.Option, known ...E) flag {
	return flag{[]string{openvinoRunner}, true, 1, 1, func(f *Flags, words []string) error {
		f.openvino = append(f.openvino, option(E(words[0])))
		return choice(E(words[0]), known)
	}}
}

// ofTract returns a flag with one value for a tract option; see ofOpenVINO.
func ofTract[E ~string](option func(E) tract.Option, known ...E) flag {
	return flag{[]string{tractRunner}, true, 1, 1, func(f *Flags, words []string) error {
		f.tract = append(f.tract, option(E(words[0])))
		return choice(E(words[0]), known)
	}}
}

// ofGenAI returns a flag with one value for an option of ONNX Runtime GenAI.
func ofGenAI(sided bool, option func(word string) (genai.Option, error)) flag {
	return flag{[]string{genaiRunner}, sided, 1, 1, func(f *Flags, words []string) error {
		o, err := option(words[0])
		f.genai = append(f.genai, o)
		return err
	}}
}

// common returns a copy of the flag that has no --expected variant. It is for flags that name a
// library, because a process can load only one library of an engine.
func common(f flag) flag {
	f.sided = false
	return f
}

// choice returns an error if a word is not in known. If known is empty, any word is accepted.
func choice[E ~string](word E, known []E) error {
	if len(known) == 0 {
		return nil
	}
	texts := make([]string, len(known))
	for i, k := range known {
		texts[i] = string(k)
	}
	return values.Choice(string(word), texts...)
}

// optimizationLevel accepts modelparity's names of the levels and ONNX Runtime's names.
func optimizationLevel(f *Flags, words []string) error {
	level := ort.Level(strings.ToLower(words[0]))
	if own, ok := levels[strings.ToUpper(words[0])]; ok {
		level = own
	}
	f.onnxruntime.session = append(f.onnxruntime.session, ort.OptimizationLevel(level))
	known := []string{"none", "basic", "extended", "layout", "all"}
	if !slices.Contains(known, string(level)) {
		return fmt.Errorf("unknown level %q; use %s", words[0], strings.Join(known, ", "))
	}
	return nil
}

// levels maps ONNX Runtime's names to the levels.
var levels = map[string]ort.Level{
	"ORT_DISABLE_ALL": ort.OptimizeNone, "ORT_ENABLE_BASIC": ort.OptimizeBasic,
	"ORT_ENABLE_EXTENDED": ort.OptimizeExtended, "ORT_ENABLE_LAYOUT": ort.OptimizeLayout,
	"ORT_ENABLE_ALL": ort.OptimizeAll,
}

// providerOptions parses PROVIDER:KEY=VALUE.
func providerOptions(f *Flags, words []string) error {
	for _, text := range words {
		provider, setting, _ := strings.Cut(text, ":")
		key, value, found := strings.Cut(setting, "=")
		if !found || provider == "" || key == "" {
			return fmt.Errorf("%q does not set an option; write cuda:use_tf32=1", text)
		}
		f.onnxruntime.providerOptions = append(f.onnxruntime.providerOptions,
			ort.ProviderOption(provider, key, value))
	}
	return nil
}

// modelType rejects an unsupported type. The error names an alternative.
func modelType(f *Flags, words []string) error {
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
