// Package planted_test plants faults into real network topologies and holds the localiser to naming
// the node. Without further ado it takes a transformer encoder; MODELPARITY_ONNX_WHEEL names the
// wheel of onnx with nine convolutional topologies, as `make planted` does.
package planted_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/cnn"
)

func TestPlanted(t *testing.T) {
	RegisterFailHandler(Fail)
	models, err := topologies()
	if err != nil {
		t.Fatal(err)
	}
	describe(models)
	RunSpecs(t, "planted faults")
}

// topologies reads the encoder of the examples and, where there is a wheel, its nine networks.
func topologies() ([]cnn.Topology, error) {
	encoder, err := os.ReadFile("../../example_test/dynamic/testdata/encoder.onnx")
	if err != nil {
		return nil, err
	}
	models := []cnn.Topology{{Name: "transformer encoder", Data: encoder, Sown: true}}
	wheel := os.Getenv(cnn.WheelVariable)
	if wheel == "" {
		return models, nil
	}
	for _, name := range cnn.Names() {
		t, err := cnn.Read(wheel, name)
		if err != nil {
			return nil, err
		}
		models = append(models, t)
	}
	return models, nil
}
