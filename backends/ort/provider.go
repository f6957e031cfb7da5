package ort

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/pattern"
)

// lacking matches the errors that mean that a provider is missing on this machine: the library was
// built without the provider, or the provider needs a library that is missing. Only these errors
// skip a spec; all other errors fail it.
var lacking = pattern.New(`this build of ONNX Runtime has only|Failed to load library`)

// absent returns the error for the first requested provider that this machine cannot run, or nil.
func (s *settings) absent() error {
	for _, p := range s.providers() {
		err := onnxruntime.Accepts(p)
		if err != nil && !lacking.Regexp().MatchString(err.Error()) {
			return fmt.Errorf("onnxruntime: %w", explain(err))
		}
		if err == nil && (p.Name == onnxruntime.CUDA || p.Name == onnxruntime.TensorRT) {
			err = device()
		}
		if err != nil {
			return &backends.Missing{Backend: required(p.Name),
				Reason: answerOf(err), Remedy: remedyOf(p.Name)}
		}
	}
	return nil
}

// required returns the name of a provider in MODELPARITY_REQUIRE: ort-cuda, ort-tensorrt,
// ort-xnnpack.
func required(provider string) string {
	return backendName + "-" + strings.ToLower(strings.TrimSuffix(provider, "ExecutionProvider"))
}

// remedyOf says what to do about a missing provider.
func remedyOf(provider string) string {
	tensorRT := ""
	switch provider {
	case onnxruntime.TensorRT:
		tensorRT = ", TensorRT 10"
		fallthrough
	case onnxruntime.CUDA:
		return fmt.Sprintf("on a machine with an NVIDIA GPU, CUDA 13%s and cuDNN 9, run `pip install "+
			"onnxruntime-gpu==%s` and set %s to the path of its libonnxruntime",
			tensorRT, engines.ONNXRuntime.Version, engines.ONNXRuntime.Variable)
	}
	return fmt.Sprintf("set %s to the path of a libonnxruntime that was built with the "+
		"provider", engines.ONNXRuntime.Variable)
}
