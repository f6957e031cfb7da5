package ort

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

// The answers are from ONNX Runtime 1.31.1's GPU build on a machine without CUDA.
func TestAnswersLoseWhatSaysNothing(t *testing.T) {
	for given, want := range map[string]string{
		"provider CUDAExecutionProvider: /onnxruntime_src/onnxruntime/core/session/" +
			"provider_bridge_ort.cc:2043 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() " +
			"[ONNXRuntimeError] : 1 : FAIL : Failed to load library /a/libonnxruntime_providers_cuda.so " +
			"with error: libcublasLt.so.13: cannot open shared object file": "provider " +
			"CUDAExecutionProvider: Failed to load library /a/libonnxruntime_providers_cuda.so " +
			"with error: libcublasLt.so.13: cannot open shared object file",
		"Error creating C session: two\n lines": "two lines",
		"a [bracket] stays":                     "a [bracket] stays",
	} {
		NewWithT(t).Expect(answerOf(errors.New(given))).To(Equal(want))
		NewWithT(t).Expect(explain(errors.New(given)).Answer).To(Equal(want))
	}
}

func TestProvidersThatAreNotThereAreToldFromThoseThatFail(t *testing.T) {
	g := NewWithT(t)
	g.Expect(lacking.Regexp().MatchString("Failed to load library /a/b.so with error: x")).To(BeTrue())
	g.Expect(lacking.Regexp().MatchString("this build of ONNX Runtime has only CPU")).To(BeTrue())
	g.Expect(lacking.Regexp().MatchString("Unknown provider option: \"use_tf33\"")).To(BeFalse())
}
