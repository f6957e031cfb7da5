package ort

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// Option is how a model is run. Without any, it is run by the CPU provider with every graph
// optimisation and with one thread, because the number of threads and the optimisation level
// change the last digits, and a golden file must not depend on the machine's cores.
type Option struct{ apply func(*settings) error }

// Level is how far ONNX Runtime rewrites the graph before it runs.
type Level string

// The levels, each with all that the one before it does.
const (
	OptimizeNone     Level = "none"
	OptimizeBasic    Level = "basic"    // constant folding and the like
	OptimizeExtended Level = "extended" // fusions
	OptimizeAll      Level = "all"      // memory layout
)

// levels are the C API's numbers (enum GraphOptimizationLevel).
var levels = map[Level]int{OptimizeNone: 0, OptimizeBasic: 1, OptimizeExtended: 2, OptimizeAll: 99}

// settings is what the options add up to.
type settings struct {
	library   string
	level     Level
	intra     int
	inter     int
	providers []onnxruntime.Provider
	cpu       bool // was asked for by name
	config    []onnxruntime.Setting
	of        map[string]map[string]string // provider options by provider
}

// Library runs on the shared library at path. A process has one ONNX Runtime: it is an error if
// another one runs already. Without this option the library is looked for as [Require] says.
func Library(path string) Option {
	return Option{func(s *settings) error {
		if path == "" {
			return fmt.Errorf("ort.Library needs a path")
		}
		s.library = path
		return nil
	}}
}

// OptimizationLevel sets how far the graph is rewritten; [OptimizeAll] without this option.
func OptimizationLevel(level Level) Option {
	return Option{func(s *settings) error {
		if _, ok := levels[level]; !ok {
			return fmt.Errorf("optimisation level %q is none of none, basic, extended, all", level)
		}
		s.level = level
		return nil
	}}
}

// Threads sets how many threads work within one operator, and optionally how many operators run
// at once; 1 and 1 without this option. Zero lets ONNX Runtime choose by the machine's cores.
func Threads(intra int, inter ...int) Option {
	return Option{func(s *settings) error {
		if len(inter) > 1 {
			return fmt.Errorf("ort.Threads takes two numbers, got %d", 1+len(inter))
		}
		for _, n := range append([]int{intra}, inter...) {
			if n < 0 {
				return fmt.Errorf("%d threads are not possible", n)
			}
		}
		s.intra = intra
		if len(inter) == 1 {
			s.inter = inter[0]
		}
		return nil
	}}
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
	return Option{func(s *settings) error {
		if len(names) == 0 {
			return fmt.Errorf("ort.Providers needs a name")
		}
		s.providers, s.cpu = nil, false
		for _, name := range names {
			full, err := providerName(name)
			if err != nil {
				return err
			}
			s.cpu = s.cpu || full == onnxruntime.CPU
			s.providers = append(s.providers, onnxruntime.Provider{Name: full})
		}
		return nil
	}}
}

// ProviderOption sets an option of a provider that [Providers] names, such as ("tensorrt",
// "trt_fp16_enable", "1"). The keys are ONNX Runtime's own; one that it does not know is its error.
func ProviderOption(provider, key, value string) Option {
	return Option{func(s *settings) error {
		full, err := providerName(provider)
		if err != nil {
			return err
		}
		if full == onnxruntime.CPU {
			return fmt.Errorf("the CPU provider has no options, got %s; ort.Config sets the session's",
				key)
		}
		if s.of[full] == nil {
			s.of[full] = map[string]string{}
		}
		s.of[full][key] = value
		return nil
	}}
}

// Config sets an entry of the session's configuration, such as
// ("session.set_denormal_as_zero", "1"). ONNX Runtime accepts keys that it does not know.
func Config(key, value string) Option {
	return Option{func(s *settings) error {
		if key == "" {
			return fmt.Errorf("ort.Config needs a key")
		}
		s.config = append(s.config, onnxruntime.Setting{Key: key, Value: value})
		return nil
	}}
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
	if strings.HasSuffix(name, "ExecutionProvider") {
		return name, nil
	}
	return "", fmt.Errorf("provider %q is none of cpu, cuda, tensorrt, "+
		"and does not end in ExecutionProvider", name)
}
