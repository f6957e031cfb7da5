package openvino

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. By default it runs on the CPU in float32 with one thread. One
// thread is the default because the number of threads changes the last digits, and a golden file
// must not depend on how many cores a machine has.
//
// An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

// Type is the element type in which floating-point operations are computed
// (INFERENCE_PRECISION_HINT).
type Type string

// The types. With Own, OpenVINO chooses: bfloat16 if the processor has AMX, float16 on GPUs and
// many other devices.
const (
	Float32  Type = "float32"
	BFloat16 Type = "bfloat16"
	Float16  Type = "float16"
	Own      Type = "own"
)

// types maps the types to their names in OpenVINO and in Go source.
var types = map[Type]struct{ hint, text string }{
	Float32:  {"f32", "openvino.Float32"},
	BFloat16: {"bf16", "openvino.BFloat16"},
	Float16:  {"f16", "openvino.Float16"},
	Own:      {"", "openvino.Own"},
}

// Precision sets the type in which floating-point numbers are computed; the default is [Float32].
// Opening fails if the compiled model reports a different type. The provenance of every run
// contains the type that the model reports, even with [Own].
func Precision(t Type) Option {
	shown := option.Enum(t, types[t].text)
	return option.Field(option.Call("openvino.Precision", shown), t,
		func(s *settings) *Type { return &s.Precision }, option.Refuse(types[t].text == "",
			"unknown type %q; it must be float32, bfloat16, float16 or own "+
				"(the model's type)", string(t)))
}

// Mode is OpenVINO's optimisation goal (EXECUTION_MODE_HINT).
type Mode string

// The modes. With Performance, activations may be quantised to 8 bits where the weights are 8-bit,
// and the key-value caches of decoders are stored in 8 bits.
const (
	Accuracy    Mode = "accuracy"
	Performance Mode = "performance"
)

// ExecutionMode sets OpenVINO's optimisation goal; the default is [Accuracy].
func ExecutionMode(m Mode) Option {
	shown := option.Enum(m, modes[m].text)
	return option.Field(option.Call("openvino.ExecutionMode", shown), m,
		func(s *settings) *Mode { return &s.Mode }, option.Refuse(modes[m].text == "",
			"unknown mode %q; it must be accuracy or performance", string(m)))
}

// Threads sets the number of threads that compute on the CPU; the default is 1. With 0, OpenVINO
// chooses the number from the machine's number of cores.
func Threads(n int) Option {
	return option.Field(option.Call("openvino.Threads", n), n,
		func(s *settings) *int { return &s.Threads },
		option.Refuse(n < 0 || n > mostThreads,
			"the number must be between 0 and %d; with 0, OpenVINO chooses it from the number of "+
				"cores", mostThreads))
}

// mostThreads is the largest accepted number of threads, more than any machine can use.
const mostThreads = 1024

// CPU is the default device.
const CPU = "CPU"

// Device sets the device by OpenVINO's name: CPU, GPU, GPU.1, NPU, or a virtual device that
// combines several, such as HETERO:GPU,CPU. A missing device is an error; there is no fallback to
// the CPU.
func Device(name string) Option {
	return option.Field(option.Call("openvino.Device", name), name,
		func(s *settings) *string { return &s.Device },
		option.Refuse(name == "" || strings.ContainsAny(name,
			" \t\n\x00"), "invalid device name; pass a name such as CPU or GPU.0"))
}

// StaticShapes compiles the model for the shapes of the inputs instead of the declared shapes, and
// again for each new set of shapes. Some models that OpenVINO rejects with dynamic shapes run this
// way. OpenVINO may choose other kernels for static shapes.
func StaticShapes() Option {
	return option.Field(option.Call("openvino.StaticShapes"), true,
		func(s *settings) *bool { return &s.Static })
}

// Property sets one of OpenVINO's properties by its own name, such as ("NUM_STREAMS", "2"). The
// device rejects unknown properties. If a property is set twice, the last value applies. A Property
// overrides any other option that sets the same property.
func Property(key, value string) Option {
	return option.New(option.Call("openvino.Property", key, value), func(s *settings) error {
		switch {
		case key == "":
			return errors.New("the key is empty; pass one of OpenVINO's properties")
		case strings.ContainsRune(key+value, 0):
			return errors.New("the key or the value contains a NUL byte; remove it")
		case s.Properties == nil:
			s.Properties = map[string]string{}
		}
		s.Properties[key] = value
		return nil
	})
}

// Library uses the shared library libopenvino_c at path. A process can load only one OpenVINO: it
// is an error if a different library is already loaded. Without this option, the library is found
// as described at [Require].
func Library(path string) Option {
	return option.Field(option.Call("openvino.Library", path), path,
		func(s *settings) *string { return &s.Library },
		option.Refuse(path == "", "the path is empty; pass the path of a libopenvino_c"))
}

// WarmUp runs the first inputs n times before the measured iterations, so that the engine is warm
// when it is measured; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("openvino.WarmUp", n), n,
		func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of warm-up runs must be 0 or more"))
}
