package ort

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/option"
)

// Option is how a model is run. Without any, it is run by the CPU provider with every graph
// optimisation and with one thread, because the number of threads and the optimisation level
// change the last digits, and a golden file must not depend on the machine's cores.
//
// An option prints itself as the Go call that makes it.
type Option = option.Option[settings]

// Options joins several options into one, for a set that many specs share.
func Options(options ...Option) Option { return option.Join(options...) }

// Library runs on the shared library at path. A process has one ONNX Runtime: it is an error if
// another one runs already. Without this option the library is looked for as [Require] says.
func Library(path string) Option {
	return option.New(option.Call("ort.Library", path), func(s *settings) error {
		if path == "" {
			return errors.New("the path is empty; name a libonnxruntime")
		}
		s.Library = path
		return nil
	})
}

// Level is how far ONNX Runtime rewrites the graph before it runs.
type Level string

// The levels, each with all that the one before it does.
const (
	OptimizeNone     Level = "none"
	OptimizeBasic    Level = "basic"    // constant folding and the like
	OptimizeExtended Level = "extended" // fusions
	OptimizeLayout   Level = "layout"   // memory layout
	OptimizeAll      Level = "all"      // everything there is
)

// level is what Go and the C API (enum GraphOptimizationLevel) call a level.
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

// GoString is the level as Go source: ort.OptimizeBasic.
func (l Level) GoString() string {
	if known, ok := levels[l]; ok {
		return known.name
	}
	return fmt.Sprintf("ort.Level(%q)", string(l))
}

// OptimizationLevel sets how far the graph is rewritten; [OptimizeAll] without this option.
func OptimizationLevel(level Level) Option {
	return option.New(option.Call("ort.OptimizationLevel", level), func(s *settings) error {
		if _, ok := levels[level]; !ok {
			return fmt.Errorf("unknown level %q; it must be none, basic, extended, layout or "+
				"all", string(level))
		}
		s.Level = level
		return nil
	})
}

// Threads sets how many threads work within one operator; 1 without this option. Zero lets ONNX
// Runtime choose by the machine's cores.
func Threads(n int) Option {
	return option.New(option.Call("ort.Threads", n), func(s *settings) error {
		s.Threads = n
		return threads(n)
	})
}

// InterOpThreads sets how many operators run at once, for graphs with branches; 1 without this
// option. Zero lets ONNX Runtime choose by the machine's cores.
func InterOpThreads(n int) Option {
	return option.New(option.Call("ort.InterOpThreads", n), func(s *settings) error {
		s.InterOpThreads = n
		return threads(n)
	})
}

// mostThreads is more than any machine runs at once. ONNX Runtime starts as many as it is told,
// each with a stack of its own, and takes the process down where it cannot.
const mostThreads = 1024

func threads(n int) error {
	if n < 0 || n > mostThreads {
		return fmt.Errorf("the number must be between 0 and %d; 0 lets ONNX Runtime choose by the "+
			"machine's cores", mostThreads)
	}
	return nil
}

// Providers names the execution providers, the preferred one first: cpu, cuda, tensorrt, or a name
// as ONNX Runtime lists it (XnnpackExecutionProvider). One that the library does not have, or that
// does not start, is an error. Unless "cpu" is among them, as the last, a node that they cannot run
// is an error as well: nothing falls back to the CPU unasked. Nor may the preferred provider run
// nothing at all. Where several share a model, the provenance of every run says how many nodes each
// one runs, and which operators the preferred one left to the others.
//
// float32 means float32 by cuda, which ONNX Runtime itself lets use TF32 (10 bits of mantissa in
// products); ProviderOption("cuda", "use_tf32", "1") allows that again. The tensorrt provider has
// no such option and uses TF32, unless the environment of the process says NVIDIA_TF32_OVERRIDE=0.
func Providers(names ...string) Option {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = shortName(name)
	}
	call := option.Call("ort.Providers", option.Args(short)...)
	return option.New(call, func(s *settings) error {
		if len(names) == 0 {
			return errors.New("there is no provider; name cpu, cuda or tensorrt")
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
// "trt_fp16_enable", "1"). The keys are ONNX Runtime's own; one that it does not know is its error.
func ProviderOption(provider, key, value string) Option {
	call := option.Call("ort.ProviderOption", shortName(provider), key, value)
	return option.New(call, func(s *settings) error {
		full, err := providerName(provider)
		switch {
		case err != nil:
			return err
		case full == onnxruntime.CPU:
			return errors.New("the CPU provider has no options; ort.Config sets the session's")
		case key == "":
			return errors.New("the key is empty; give one of the provider's options")
		}
		put(&s.ProviderOptions, full, map[string]string{})
		s.ProviderOptions[full][key] = value
		return nil
	})
}

// Config sets an entry of the session's configuration, such as
// ("session.set_denormal_as_zero", "1"). ONNX Runtime accepts keys that it does not know.
func Config(key, value string) Option {
	return option.New(option.Call("ort.Config", key, value), func(s *settings) error {
		if key == "" {
			return errors.New("the key is empty; give one of ONNX Runtime's session configuration keys")
		}
		if s.Config == nil {
			s.Config = map[string]string{}
		}
		s.Config[key] = value
		return nil
	})
}

// WarmUp runs the first inputs n times before the iterations that count, so that their times are
// those of an engine in use; none without this option.
func WarmUp(n int) Option {
	return option.New(option.Call("ort.WarmUp", n), func(s *settings) error {
		if n < 0 {
			return errors.New("the number of runs must be 0 or more")
		}
		s.WarmUp = n
		return nil
	})
}

// executionProvider ends the name of every provider.
const executionProvider = "ExecutionProvider"

// knownProviders are those of ONNX Runtime's releases, of which the beginning of the name is
// enough. Others are named in full.
var knownProviders = []string{"CPU", "CUDA", "Tensorrt", "NvTensorRTRTX", "OpenVINO", "Dnnl",
	"ROCM", "MIGraphX", "CoreML", "Xnnpack", "QNN", "Dml", "WebGPU", "ACL", "ArmNN", "VitisAI",
	"Nnapi", "Azure", "CANN", "Rknpu", "SNPE"}

// shortNames are the providers with a name of ours.
var shortNames = map[string]string{onnxruntime.CPU: "cpu", onnxruntime.CUDA: "cuda",
	onnxruntime.TensorRT: "tensorrt"}

// shortName is a provider's shortest name, or the name as it is where it is not known.
func shortName(name string) string {
	full, err := providerName(name)
	if short := shortNames[full]; err == nil && short != "" {
		return short
	}
	return name
}

// providerName is the name that ONNX Runtime lists a provider under.
func providerName(name string) (string, error) {
	switch strings.ToLower(name) {
	case "cpu":
		return onnxruntime.CPU, nil
	case "cuda":
		return onnxruntime.CUDA, nil
	case "tensorrt", "trt":
		return onnxruntime.TensorRT, nil
	}
	if strings.HasSuffix(name, executionProvider) {
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
	return "", fmt.Errorf("provider %q could be any of %s; give more of its name", name,
		strings.Join(fits, ", "))
}
