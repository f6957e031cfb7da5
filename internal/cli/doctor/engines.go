// Package doctor reports which engines a machine has, and describes each engine: how to get it,
// which version was tested, and what its defaults change.
package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/vulkan"
	"github.com/modelparity/modelparity/tensor"
)

// Engine describes one engine. The tables in docs/engines.md and README.md contain the same facts.
type Engine struct {
	Name     string // the name in MODELPARITY_REQUIRE
	Title    string // the usual name
	Variable string // the environment variable that names its library
	Obtain   string // how to get it
	Runs     string // the kinds of file that it runs
	Tested   string // the tested versions and machines
	Habits   string // surprising defaults, and which of them modelparity turns off

	// find returns the lines to print about an engine that was found, or an error with the reason
	// and the remedy. It runs in a separate process.
	find func() (string, error)
}

// tensorRTVariable names the environment variable with the path of TensorRT's library.
const tensorRTVariable = "MODELPARITY_TENSORRT_LIBRARY_PATH"

// Engines returns all engines in display order.
func Engines() []Engine { return slices.Clone(all) }

var all = []Engine{
	{
		Name: "ort", Title: "ONNX Runtime", Variable: ort.LibraryVariable,
		Obtain: "modelparity setup; or pip install onnxruntime==" + engines.ONNXRuntime.Version +
			"; or set " + ort.LibraryVariable + " to the path of libonnxruntime",
		Runs:   "ONNX models",
		Tested: engines.ONNXRuntime.Version + " on linux/amd64; 1.24 or later is needed",
		Habits: "It fuses and rewrites nodes and splits sums by thread, which moves float32 by a few " +
			"units in the last place; float16 on the CPU is computed in float32 between casts; nodes that " +
			"a provider does not run go to the CPU (here an error); CUDA uses TF32, and products by int4 " +
			"and int8 weights use int8 activations (here both off).",
		find: findONNXRuntime,
	},
	{
		Name: "openvino", Title: "OpenVINO", Variable: openvino.LibraryVariable,
		Obtain: "modelparity setup --openvino; or pip install openvino==" + engines.OpenVINO.Version +
			"; or set " + openvino.LibraryVariable + " to the path of libopenvino_c",
		Runs: "ONNX models; its own IR (.xml with .bin), TensorFlow Lite (.tflite), TensorFlow (.pb, " +
			"or the folder of a saved model), PaddlePaddle (.pdmodel with .pdiparams, or .json with " +
			"--model-type openvino)",
		Tested: engines.OpenVINO.Version + " on linux/amd64",
		Habits: "It computes float32 in bfloat16 where the CPU has AMX, and quantises activations and " +
			"caches to 8 bits (here off); it computes float64 in float32, and int64 in 32 bits, which " +
			"wraps around without an error; with one thread its synchronous call loses every error " +
			"(here never called); docs/evidence/findings.md.",
		find: findOpenVINO,
	},
	{
		Name: "trt", Title: "TensorRT", Variable: tensorRTVariable,
		Obtain: "pip install tensorrt-cu12, on a machine with an NVIDIA GPU and its driver; or set " +
			tensorRTVariable,
		Runs: "ONNX models; engines that it has built (.plan, .engine)",
		Tested: "10.6 on an H200 and an H100, linux/amd64; 10.15 and 11.2 were configured there, " +
			"and built no engine; docs/evidence/tensorrt.md",
		Habits: "It computes float32 in TF32 where the GPU can (here off; --tf32 turns it on); it " +
			"picks kernels by timing them, so two builds of one model can differ (--save-tactics and " +
			"--load-tactics repeat one).",
		find: func() (string, error) { return "TensorRT: found, with a GPU\n", trt.Available() },
	},
	{
		Name: "tract", Title: "tract", Variable: tract.LibraryVariable,
		Obtain: "modelparity setup --tract; or set " + tract.LibraryVariable + " to its library",
		Runs:   "ONNX models",
		Tested: engines.Tract.Version + " on linux/amd64",
		Habits: "It always optimises, in one thread; it cannot be interrupted; and if its code " +
			"panics, such as at an integer division by zero, it aborts the process.",
		find: func() (string, error) { return findFetched(engines.Tract, tract.Available()) },
	},
	{
		Name: "genai", Title: "ONNX Runtime GenAI", Variable: genai.LibraryVariable,
		Obtain: "modelparity setup --genai, next to ONNX Runtime; or set " + genai.LibraryVariable +
			" to libonnxruntime-genai",
		Runs:   "ONNX decoders, with or without a genai_config.json",
		Tested: engines.GenAI.Version + " on linux/amd64, on the CPU",
		Habits: "It makes masks and positions itself and keeps the cache; each " +
			"sequence of a batch has its own generator; it reports to Microsoft (here off).",
		find: func() (string, error) { return findFetched(engines.GenAI, genai.Available()) },
	},
	{
		Name: "ort-webgpu", Title: engines.WebGPU.Title, Variable: engines.WebGPU.Variable,
		Obtain: "modelparity setup --webgpu, next to ONNX Runtime; or set " + engines.WebGPU.Variable +
			" to libonnxruntime_providers_webgpu",
		Runs:   "ONNX models: --plugin-ep webgpu",
		Tested: engines.WebGPU.Version + " on linux/amd64, on the CPU by SwiftShader; never on a GPU",
		Habits: "It computes by Vulkan, or by Metal on macOS; nodes that it cannot run go to the CPU " +
			"(here an error).",
		find: findWebGPU,
	},
	{
		Name: "onnxreference", Title: "ONNX's reference evaluator", Variable: process.PythonVariable,
		Obtain: "pip install onnx; " + process.PythonVariable + " names the Python",
		Runs:   "ONNX models",
		Tested: "1.22.0 on linux/amd64",
		Habits: "It is slow (NumPy), and not always right: its BatchNormalization of opset 9 blends " +
			"batch statistics into inference;  conformance/testdata lists ONNX's cases that it fails.",
		find: found(process.ONNXReference()),
	},
	{
		Name: "pytorch", Title: "PyTorch", Variable: process.PythonVariable,
		Obtain: "pip install torch; " + process.PythonVariable + " names the Python",
		Runs: "modules saved whole by torch.save, TorchScript (.pt, .pth), exported programs (.pt2): " +
			"--pytorch FILE",
		Tested: "2.15.0 on a CPU, linux/amd64: module, TorchScript, exported program (make engines)",
		Habits: "Modules are in training mode until eval() (here called); it uses TF32 in cuDNN " +
			"(here off); reading a module runs code from its file.",
		find: found(process.PyTorch()),
	},
	{
		Name: "tensorflow", Title: "TensorFlow", Variable: process.PythonVariable,
		Obtain: "pip install tensorflow-cpu; " + process.PythonVariable + " names the Python",
		Runs: "Keras models (.keras, .h5), frozen graphs (.pb), saved models (a folder), checkpoints " +
			"with their .meta: --tf FILE",
		Tested: "2.21.0 with Keras 3.15.1 on linux/amd64: frozen graph, saved model, checkpoint, " +
			"Keras (make engines)",
		Habits: "Its order of summation depends on the machine if oneDNN is on (here off unless " +
			"TF_ENABLE_ONEDNN_OPTS=1); it uses TF32 on GPUs (here off).",
		find: found(process.TensorFlow(process.AnyTensorFlow)),
	},
	{
		Name: "jax", Title: "JAX", Variable: process.PythonVariable,
		Obtain: "pip install jax flatbuffers; " + process.PythonVariable + " names the Python",
		Runs:   "functions serialised by jax.export, Python files with run(inputs): --jax FILE",
		Tested: "0.10.2 on a CPU, linux/amd64: exported function, script (make engines)",
		Habits: "It silently turns 64-bit types into 32-bit ones (here off), and multiplies in lower " +
			"precision on GPUs and TPUs (here off); a dynamic size of jax.export is 1 or more.",
		find: found(process.JAX()),
	},
	{
		Name: "served", Title: "a deployed model",
		Obtain: "a server of the Open Inference Protocol: Triton, KServe, MLServer, OpenVINO's",
		Runs:   "models on the server: --served URL",
		Tested: "MLServer 1.7.1, KServe's server 0.21.0, tritonclient 2.73.0; Triton was never run",
		Habits: "They depend on the server, which may deploy another version at any time (here an " +
			"error during a run), and reports no checksum of its model.",
		find: func() (string, error) { return "deployed models: by HTTP and gRPC\n", nil },
	},
	{
		Name: "isolated", Title: "any of them, isolated",
		Obtain: "included, on Linux and macOS",
		Runs:   "the same as the engine: --use-subprocess",
		Tested: "ONNX Runtime, OpenVINO, tract and TensorRT's mock on linux/amd64",
		Habits: "An engine that takes nine tenths of the free memory, or 5 minutes per iteration, is " +
			"killed (isolated.Memory, isolated.Patience, --subprocess-memory, --subprocess-timeout).",
		find: findIsolation,
	},
}

// findIsolation checks that engines can run in a separate process. It uses a fake engine.
func findIsolation() (string, error) {
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1)})
	if err != nil {
		return "", err
	}
	_, err = isolated.Run(context.Background(), fake.Engine(fake.Echo()), nil, fixtures.Of(set))
	return "isolated engines: they start and answer\n", err
}

// found returns a function that looks for the Python package that a program needs.
func found(program process.Option) func() (string, error) {
	return func() (string, error) {
		text, err := process.Found(context.Background(), program)
		return text + "\n", err
	}
}

// findFetched reports an engine's path. It also reports the release if the library is in
// modelparity's cache; other libraries may be of any release.
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
	return fmt.Sprintf("OpenVINO %s: %s\n", library.Version(), library.Path()), nil
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
