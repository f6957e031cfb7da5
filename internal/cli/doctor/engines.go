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
// tested, and what the engine does by default.
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
	fetched("ort", engines.ONNXRuntime, "modelparity setup; or pip install onnxruntime=="+
		engines.ONNXRuntime.Version, "the path of libonnxruntime", findONNXRuntime),
	fetched("openvino", engines.OpenVINO, "modelparity setup --openvino; or pip install openvino=="+
		engines.OpenVINO.Version, "the path of libopenvino_c", findOpenVINO),
	{
		Name: "trt", Title: "TensorRT", Variable: tensorRTVariable,
		Obtain: "pip install tensorrt-cu12, on a machine with an NVIDIA GPU and its driver; or set " +
			tensorRTVariable,
		find: func() (string, error) { return "TensorRT: found, with a GPU\n", trt.Available() },
	},
	fetched("tract", engines.Tract, "modelparity setup --tract", "its library",
		func() (string, error) { return findFetched(engines.Tract, tract.Available()) }),
	fetched("genai", engines.GenAI, "modelparity setup --genai; it also needs ONNX Runtime",
		"libonnxruntime-genai",
		func() (string, error) { return findFetched(engines.GenAI, genai.Available()) }),
	fetched("ort-webgpu", engines.WebGPU, "modelparity setup --webgpu; it also needs ONNX Runtime",
		"libonnxruntime_providers_webgpu", findWebGPU),
	python("onnxreference", "ONNX's reference evaluator", "onnx", process.ONNXReference()),
	python("pytorch", "PyTorch", "torch", process.PyTorch()),
	python("tensorflow", "TensorFlow", "tensorflow-cpu", process.TensorFlow(process.AnyTensorFlow)),
	python("jax", "JAX", "jax flatbuffers", process.JAX()),
}

// fetched describes an engine in the catalogue. setup says how to fetch or install it, and library
// is the value of its environment variable.
func fetched(name string, e engines.Engine, setup, library string,
	find func() (string, error)) Engine {
	return Engine{Name: name, Title: e.Title, Variable: e.Variable,
		Obtain: setup + "; or set " + e.Variable + " to " + library, find: find}
}

// python describes a framework that runs in a Python program and needs the named packages.
func python(name, title, packages string, program process.Option) Engine {
	return Engine{Name: name, Title: title, Variable: process.PythonVariable,
		Obtain: "pip install " + packages + "; " + process.PythonVariable + " chooses the Python",
		find: func() (string, error) {
			text, err := process.Found(context.Background(), program)
			return text + "\n", err
		}}
}

// findFetched describes an engine in one line: its path and its release, as far as they are known.
// If the engine is unusable, the caller passes the reason, and findFetched returns it as the error.
func findFetched(engine engines.Engine, unusable error) (string, error) {
	if unusable != nil {
		return "", unusable
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
		return engine.Title + ": found, but not downloaded by modelparity setup\n", nil
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
