package conformance_test

import (
	"cmp"
	"errors"
	"os"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/engines"
)

// pluginVariable names the environment variable with the path of nxrt's library, an execution
// provider for CPUs that shares no kernel with ONNX Runtime's own.
const pluginVariable = "MODELPARITY_NXRT_LIBRARY_PATH"

var (
	onWebGPU = nodeEngine{name: "webgpu-" + engines.WebGPU.Version + "-onnxruntime",
		title: "WebGPU on SwiftShader, with ONNX Runtime", refused: pluginsReason,
		engine: ort.Engine(ort.PluginEP("webgpu"))}
	onNXRT = nodeEngine{name: "nxrt-0.1.0.dev6-onnxruntime",
		title: "nxrt, with ONNX Runtime", refused: pluginsReason,
		engine: ort.Engine(ort.PluginEP(cmp.Or(os.Getenv(pluginVariable), "absent")))}
)

func TestNodeCasesOnWebGPU(t *testing.T) {
	if !serves(t, onWebGPU.check) {
		ort.Require(t, ort.PluginEP("webgpu"))
		onWebGPU.hold(t)
	}
}

func TestNodeCasesOnNXRT(t *testing.T) {
	if os.Getenv(pluginVariable) == "" {
		t.Skip("ort-plugin is missing: make conformance-plugins fetches it")
	}
	if !serves(t, onNXRT.check) {
		onNXRT.hold(t)
	}
}

// pluginsReason returns the meaning of a refusal, or ONNX Runtime's own text.
func pluginsReason(at stage, err error) (stage, string) {
	if refused := (*backends.Refusal)(nil); errors.As(err, &refused) {
		return at, cmp.Or(refused.Meaning, refused.Answer)
	}
	return at, err.Error()
}
