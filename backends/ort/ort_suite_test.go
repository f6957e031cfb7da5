package ort_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestORT(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/ort")
}

var _ = BeforeEach(func() { ort.Require(GinkgoT()) })

var (
	_ = skips.Announce("ort-cuda is missing", "a GPU")
	_ = skips.Announce("ort-tensorrt is missing", "a GPU")
)

// open opens a model in ONNX Runtime.
func open(model *loaders.Model, o ...ort.Option) (backends.Backend, error) {
	return ort.Engine(o...).Open(context.Background(), model, fixtures.Inputs{})
}

// model is a model that testdata/models.py made.
func model(name string) *loaders.Model { return loaders.ONNX("testdata/" + name + ".onnx") }

// feed is one iteration of inputs.
func feed(entries ...tensor.Entry) fixtures.Inputs {
	GinkgoHelper()
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

func in(name string, t *tensor.Tensor) tensor.Entry { return tensor.Entry{Name: name, Tensor: t} }

// x is one iteration of the one input x.
func x(t *tensor.Tensor) fixtures.Inputs {
	GinkgoHelper()
	return feed(in("x", t))
}

// run runs a model of testdata and gives the outputs of its first iteration.
func run(ctx SpecContext, name string, inputs fixtures.Inputs, o ...ort.Option) *tensor.Set {
	GinkgoHelper()
	result, err := ort.Run(ctx, model(name), inputs, o...)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Iterations()).To(HaveLen(1))
	return result.Iterations()[0].Outputs
}

// values is the outputs' names with their text, such as "y: float32[2] [1 2]".
func values(set *tensor.Set) []string {
	var texts []string
	for name, t := range set.All() {
		texts = append(texts, name+": "+t.GomegaString())
	}
	return texts
}
