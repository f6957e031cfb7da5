//go:build cgo

package ort_test

import (
	"os"
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"
	binding "github.com/yalue/onnxruntime_go"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/tensor"
)

// TestForeignEnvironment is about a program that uses the binding itself and was first. It runs
// this test binary again, because a process has one environment.
func TestForeignEnvironment(t *testing.T) {
	g := NewWithT(t)
	path := os.Getenv("MODELPARITY_TEST_FOREIGN")
	if path == "" {
		ort.Require(t)
		path, _, _ = onnxruntime.Running()
		again := exec.Command(os.Args[0], "-test.run=^TestForeignEnvironment$", "-test.v")
		again.Env = append(os.Environ(), "MODELPARITY_TEST_FOREIGN="+path)
		output, err := again.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), "%s", output)
		g.Expect(string(output)).To(ContainSubstring("--- PASS: TestForeignEnvironment"))
		return
	}
	binding.SetSharedLibraryPath(path)
	g.Expect(binding.InitializeEnvironment()).To(Succeed())
	_, err := open(model("identity_float"), ort.Library("testdata/models.py"))
	g.Expect(err).To(MatchError(ContainSubstring(
		"this process has already loaded the library that other code opened, so it cannot load " +
			"testdata")))
	set, err := tensor.NewSet(in("x", tensor.Of[float32](5)))
	g.Expect(err).NotTo(HaveOccurred())
	result, err := ort.Run(t.Context(), model("identity_float"), fixtures.Of(set))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(values(result.Iterations()[0].Outputs)).To(ConsistOf("y: float32[1] [5]"))
	g.Expect(result.Provenance.Version).To(Equal(binding.GetVersion()))
	g.Expect(binding.IsInitialized()).To(BeTrue(), "the environment is the program's own")
}
