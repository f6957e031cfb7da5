package matchers_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// TestMain keeps measured noise and the summaries of updates out of the user's cache.
func TestMain(m *testing.M) {
	cache, err := os.MkdirTemp("", "modelparity-noise-")
	if err == nil {
		err = errors.Join(os.Setenv(noise.CacheVariable, cache), os.Setenv(goldentree.EnvReview, cache))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}

func TestMatchers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "matchers")
}

// failed is what the assertion says when it fails, "" where it holds. Unlike InterceptGomegaFailure
// it leaves the assertion a direct one.
func failed(assert func(Gomega)) (message string) {
	assert(NewGomega(func(text string, _ ...int) { message = text }))
	return message
}

// set makes a set of names and tensors in turns: set("logits", tensor.Of[float32](1, 2)). It
// panics over a name given twice: plain tests call it too, in any order, where Gomega's fail
// handler may not be registered yet.
func set(namesAndTensors ...any) *tensor.Set {
	entries := make([]tensor.Entry, 0, len(namesAndTensors)/2)
	for i := 0; i < len(namesAndTensors); i += 2 {
		entries = append(entries, tensor.Entry{
			Name: namesAndTensors[i].(string), Tensor: namesAndTensors[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(entries...)
	if err != nil {
		panic(err)
	}
	return s
}

// run is a run of one model on a machine that never was, one iteration per set.
func run(sets ...*tensor.Set) *backends.Run {
	r := &backends.Run{Provenance: backends.Provenance{
		Backend: "onnxruntime", Version: "1.31.1", Provider: "CPUExecutionProvider",
		Model:       "digits.onnx",
		ModelSHA256: "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
		Inputs:      "random, seed 1, values in [0,1)",
	}}
	for _, s := range sets {
		r.Append(backends.Iteration{Outputs: s, Runtime: -1})
	}
	return r
}

// f32 is a 1-d tensor of float32.
func f32(values ...float32) *tensor.Tensor { return tensor.Of(values...) }

// shaped is values in another shape.
func shaped(t *tensor.Tensor, dims ...int) *tensor.Tensor {
	GinkgoHelper()
	r, err := t.Reshape(dims)
	Expect(err).NotTo(HaveOccurred())
	return r
}

// failure is what m says of an actual value that it does not take.
func failure(m types.GomegaMatcher, actual any) string {
	GinkgoHelper()
	Expect(m.Match(actual)).To(BeFalse())
	return m.FailureMessage(actual)
}

// negated is what m says of an actual value that it should not have taken.
func negated(m types.GomegaMatcher, actual any) string {
	GinkgoHelper()
	Expect(m.Match(actual)).To(BeTrue())
	return m.NegatedFailureMessage(actual)
}
