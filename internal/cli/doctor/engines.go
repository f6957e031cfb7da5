// Package doctor reports which engines a machine has, and how to get each engine.
package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/vulkan"
)

// Engine describes one engine. docs/engines.md says what each engine runs, which version was
// tested, and what its defaults change.
type Engine struct {
	Name     string // the name in MODELPARITY_REQUIRE
	Title    string // the usual name
	Variable string // the environment variable that names its library
	Obtain   string // how to get it

	// find looks for the engine. It returns the lines to print about it or, if it was not found, an
	// error with the reason and the remedy. It runs in a separate process.
	find func() (string, error)
}

// tensorRTVariable names the environment variable with the path of TensorRT's library.
const tensorRTVariable = "MODELPARITY_TENSORRT_LIBRARY_PATH"

// Engines returns all engines in display order.
func Engines() []Engine { return slices.Clone(all) }

var all = []Engine{
	{
		Name: "ort", Title: "ONNX Runtime", Variable: engines.ONNXRuntime.Variable,
		Obtain: "modelparity setup; or pip install onnxruntime==" + engines.ONNXRuntime.Version +
			"; or set " + engines.ONNXRuntime.Variable + " to the path of libonnxruntime",
		find: findONNXRuntime,
	},
	{
		Name: "openvino", Title: "OpenVINO", Variable: engines.OpenVINO.Variable,
		Obtain: "modelparity setup --openvino; or pip install openvino==" + engines.OpenVINO.Version +
			"; or set " + engines.OpenVINO.Variable + " to the path of libopenvino_c",
		find: findOpenVINO,
	},
	{
		Name: "trt", Title: "TensorRT", Variable: tensorRTVariable,
		Obtain: "pip install tensorrt-cu12, on a machine with an NVIDIA GPU and its driver; or set " +
			tensorRTVariable,
		find: func() (string, error) { return "TensorRT: found, with a GPU\n", trt.Available() },
	},
	{
		Name: "tract", Title: "tract", Variable: engines.Tract.Variable,
		Obtain: "modelparity setup --tract; or set " + engines.Tract.Variable + " to its library",
		find:   func() (string, error) { return findFetched(engines.Tract, tract.Available()) },
	},
	{
		Name: "genai", Title: "ONNX Runtime GenAI", Variable: engines.GenAI.Variable,
		Obtain: "modelparity setup --genai, next to ONNX Runtime; or set " + engines.GenAI.Variable +
			" to libonnxruntime-genai",
		find: func() (string, error) { return findFetched(engines.GenAI, genai.Available()) },
	},
	{
		Name: "ort-webgpu", Title: engines.WebGPU.Title, Variable: engines.WebGPU.Variable,
		Obtain: "modelparity setup --webgpu, next to ONNX Runtime; or set " + engines.WebGPU.Variable +
			" to libonnxruntime_providers_webgpu",
		find: findWebGPU,
	},
	{
		Name: "onnxreference", Title: "ONNX's reference evaluator", Variable: process.PythonVariable,
		Obtain: "pip install onnx; " + process.PythonVariable + " chooses the Python",
		find:   found(process.ONNXReference()),
	},
	{
		Name: "pytorch", Title: "PyTorch", Variable: process.PythonVariable,
		Obtain: "pip install torch; " + process.PythonVariable + " chooses the Python",
		find:   found(process.PyTorch()),
	},
	{
		Name: "tensorflow", Title: "TensorFlow", Variable: process.PythonVariable,
		Obtain: "pip install tensorflow-cpu; " + process.PythonVariable + " chooses the Python",
		find:   found(process.TensorFlow(process.AnyTensorFlow)),
	},
	{
		Name: "jax", Title: "JAX", Variable: process.PythonVariable,
		Obtain: "pip install jax flatbuffers; " + process.PythonVariable + " chooses the Python",
		find:   found(process.JAX()),
	},
}

// found returns a function that looks for the Python package required by the program.
func found(program process.Option) func() (string, error) {
	return func() (string, error) {
		text, err := process.Found(context.Background(), program)
		return text + "\n", err
	}
}

// findFetched reports where an engine was found. It also reports the release if the library is in
// modelparity's cache; the releases of other libraries are unknown.
func findFetched(engine engines.Engine, missing error) (string, error) {
	if missing != nil {
		return "", missing
	}
	if path := os.Getenv(engine.Variable); path != "" {
		return fmt.Sprintf("%s: %s\n", engine.Title, path), nil
	}
	choice, err := enginelock.Choose(engine)
	if err != nil {
		return "", err
	}
	path, err := choice.Library()
	if err != nil {
		//nolint:nilerr // a library outside the cache is not a failure
		return engine.Title + ": found, outside the cache of modelparity setup\n", nil
	}
	return fmt.Sprintf("%s %s: %s\n", engine.Title, choice.Version, path), nil
}

func findOpenVINO() (string, error) {
	if err := openvino.Available(); err != nil {
		return "", err
	}
	library := abi.Running()
	return fmt.Sprintf("OpenVINO %s: %s\n", library.Version, library.Path), nil
}

// findWebGPU looks for the WebGPU plug-in, and names the GPUs that it can use.
func findWebGPU() (string, error) {
	text, err := findFetched(engines.WebGPU, ort.Available(ort.PluginEP(engines.WebGPU.Flag)))
	if names, missing := vulkan.Devices(); err == nil && missing == nil {
		text += engines.WebGPU.Title + " with Vulkan: " + strings.Join(names, ", ") + "\n"
	}
	return text, err
}

// findONNXRuntime looks for ONNX Runtime and its GPU providers.
func findONNXRuntime() (string, error) {
	if err := ort.Available(); err != nil {
		return "", err
	}
	path, version, _ := onnxruntime.Running()
	var text strings.Builder
	fmt.Fprintf(&text, "ONNX Runtime %s: %s\n", version, path)
	for _, provider := range []string{"cuda", "tensorrt"} {
		found := "found, with a GPU"
		if err := ort.Available(ort.Providers(provider)); err != nil {
			found = err.Error()
		}
		fmt.Fprintf(&text, "ONNX Runtime with %s: %s\n", provider, found)
	}
	return text.String(), nil
}
