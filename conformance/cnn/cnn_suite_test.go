package cnn_test

import (
	"math"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var (
	_ = skips.Announce("trt is missing", "a GPU")
	_ = skips.Announce("ONNX's topologies are not here", "make cnn")
)

func TestCNN(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "CNN topologies")
}

// subject is one of the nine networks, ready to run up to its logits. The final softmax is omitted:
// with random weights it is 0 or 1 almost everywhere and would hide all differences.
type subject struct {
	name     string
	network  *cnn.Network
	model    *loaders.Model
	inputs   fixtures.Inputs
	expected *backends.Run // ONNX Runtime's outputs in float32
	scale    float64       // greatest magnitude of the expected logits
}

// last caches the most recent subject, since specs of one network follow each other and making a
// large one takes seconds.
var last *subject

// get makes a subject, or skips the spec if the topologies are missing.
func get(ctx SpecContext, name string) *subject {
	GinkgoHelper()
	if last != nil && last.name == name {
		return last
	}
	last = nil // free it first: two large networks would take too much memory
	network := sown(name)
	s := &subject{name: name, network: network, model: upToLogits(network)}
	s.inputs = fixtures.Random(s.model, fixtures.Seed(3), fixtures.ValRange(-1, 1),
		fixtures.Iterations(2))
	var err error
	s.expected, err = ort.Run(ctx, s.model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	for _, set := range s.expected.Outputs() {
		for _, v := range set.At(0).Tensor.Float64s() {
			s.scale = math.Max(s.scale, math.Abs(v))
		}
	}
	Expect(s.scale).To(And(BeNumerically(">", 1e-3), BeNumerically("<", 1e5)))
	last = s
	return s
}

// sown returns one of the nine networks with weights.
func sown(name string) *cnn.Network {
	GinkgoHelper()
	wheel := os.Getenv(cnn.WheelVariable)
	if wheel == "" {
		Skip("ONNX's topologies are not here: run make cnn")
	}
	topology, err := cnn.Read(wheel, name)
	Expect(err).NotTo(HaveOccurred())
	network, err := topology.Network()
	Expect(err).NotTo(HaveOccurred())
	return network
}

// upToLogits returns a network's model without its final softmax.
func upToLogits(n *cnn.Network) *loaders.Model {
	GinkgoHelper()
	return cut(whole(n), n.Logits())
}

// cut returns the part of a model that computes one tensor.
func cut(model *loaders.Model, name string) *loaders.Model {
	GinkgoHelper()
	part, err := model.Cut(nil, []loaders.Value{{Name: name, Type: tensor.Float32}})
	Expect(err).NotTo(HaveOccurred())
	return part
}

// whole returns a network's model.
func whole(n *cnn.Network) *loaders.Model {
	GinkgoHelper()
	data, err := n.Model()
	Expect(err).NotTo(HaveOccurred())
	return loaders.ONNXBytes("network.onnx", data)
}
