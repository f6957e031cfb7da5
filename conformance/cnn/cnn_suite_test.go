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

// subject is one of the nine networks, ready to be run: up to its logits. The softmax behind them
// is left out, because over sown weights it is 0 or 1 nearly everywhere and would hide everything.
type subject struct {
	name     string
	network  *cnn.Network
	model    *loaders.Model
	inputs   fixtures.Inputs
	expected *backends.Run // ONNX Runtime's, in float32
	scale    float64       // the greatest magnitude among the expected logits
}

// last is the subject that was made last: specs of one network follow one another, and sowing a
// large one takes seconds.
var last *subject

// get makes a subject, or skips the spec where the topologies are missing.
func get(ctx SpecContext, name string) *subject {
	GinkgoHelper()
	if last != nil && last.name == name {
		return last
	}
	last = nil // or two large networks would be held at once
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

// sown is one of the nine networks with weights.
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

// upToLogits is the model of a network without the softmax at its end.
func upToLogits(n *cnn.Network) *loaders.Model {
	GinkgoHelper()
	model, err := whole(n).Cut(nil, []loaders.Value{{Name: n.Logits(), Type: tensor.Float32}})
	Expect(err).NotTo(HaveOccurred())
	return model
}

// whole is the model of a network.
func whole(n *cnn.Network) *loaders.Model {
	GinkgoHelper()
	data, err := n.Model()
	Expect(err).NotTo(HaveOccurred())
	return loaders.ONNXBytes("network.onnx", data)
}
