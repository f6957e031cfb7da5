package ort_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
)

// TestNeedOfAProvider asks for a provider that no ONNX Runtime has, in a process of its own.
func TestNeedOfAProvider(t *testing.T) {
	acme := ort.Providers("AcmeExecutionProvider")
	if os.Getenv("MODELPARITY_TEST_NEED_PROVIDER") != "" {
		ort.Require(t, acme)
		return
	}
	ort.Require(t) // there is an ONNX Runtime: only its provider is missing
	for required, verdict := range map[string]string{
		"ort":          "--- SKIP: TestNeedOfAProvider",
		"ort,ort-acme": "--- FAIL: TestNeedOfAProvider",
		"all":          "--- FAIL: TestNeedOfAProvider",
	} {
		t.Run(required, func(t *testing.T) {
			again := exec.Command(os.Args[0], "-test.run=^TestNeedOfAProvider$", "-test.v")
			again.Env = append(os.Environ(), "MODELPARITY_TEST_NEED_PROVIDER=1",
				backends.RequireVariable+"="+required)
			output, _ := again.CombinedOutput()
			NewWithT(t).Expect(string(output)).To(And(ContainSubstring(verdict), ContainSubstring(
				"ort-acme is missing: provider AcmeExecutionProvider: this build of ONNX Runtime has only ")))
		})
	}
}

var _ = Describe("Available", func() {
	DescribeTable("says what a machine without the provider lacks",
		func(name, called, remedy string) {
			err := ort.Available(ort.Providers(name))
			if err == nil {
				Skip("this machine has it")
			}
			var missing *backends.Missing
			Expect(errors.As(err, &missing)).To(BeTrue(), "%v", err)
			Expect(missing.Backend).To(Equal(called))
			Expect(err).To(MatchError(And(ContainSubstring(name), HaveSuffix(remedy),
				Not(ContainSubstring("\n")))))
		},
		Entry("CUDA", "CUDAExecutionProvider", "ort-cuda", "; on a machine with an NVIDIA GPU, CUDA "+
			"13 and cuDNN 9, run `pip install onnxruntime-gpu==1.31.1` and set "+
			"ONNXRUNTIME_SHARED_LIBRARY_PATH to the path of its libonnxruntime"),
		Entry("TensorRT", "TensorrtExecutionProvider", "ort-tensorrt", "; on a machine with an NVIDIA "+
			"GPU, CUDA 13, TensorRT 10 and cuDNN 9, run `pip install onnxruntime-gpu==1.31.1` and set "+
			"ONNXRUNTIME_SHARED_LIBRARY_PATH to the path of its libonnxruntime"),
		Entry("any other", "AcmeExecutionProvider", "ort-acme",
			"; set ONNXRUNTIME_SHARED_LIBRARY_PATH to the path of a libonnxruntime that was built "+
				"with the provider"),
	)

	It("takes one that the library has", func() {
		Expect(ort.Available(ort.Providers("cpu"))).To(Succeed())
	})

	It("does not take a wrong option for a missing provider", func() {
		err := ort.Available(ort.Providers("cpu", "cuda"))
		Expect(err).To(MatchError(ContainSubstring("put cpu at the end")))
		var missing *backends.Missing
		Expect(errors.As(err, &missing)).To(BeFalse())
	})
})
