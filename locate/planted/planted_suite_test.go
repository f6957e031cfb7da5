// Package planted_test plants faults into real network topologies and holds the localiser to naming
// the node. Without further ado it takes a transformer encoder; MODELPARITY_ONNX_WHEEL names the
// wheel of onnx with nine convolutional topologies, as `make planted` does.
//
// The wheel's models have constant weights, with which every channel is like every other: they are
// sown anew, by the rule of He et al. 2015 for the layers before a ReLU.
package planted_test

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// wheelVariable names the environment variable with the path of onnx's wheel.
const wheelVariable = "MODELPARITY_ONNX_WHEEL"

func TestPlanted(t *testing.T) {
	RegisterFailHandler(Fail)
	models, err := topologies()
	if err != nil {
		t.Fatal(err)
	}
	describe(models)
	RunSpecs(t, "planted faults")
}

// topology is a model to plant faults into.
type topology struct {
	name string
	data []byte
	sown bool // its weights are random already
}

// topologies reads the encoder of the examples and, where there is a wheel, its nine networks.
func topologies() ([]topology, error) {
	encoder, err := os.ReadFile("../../example_test/dynamic/testdata/encoder.onnx")
	if err != nil {
		return nil, err
	}
	models := []topology{{name: "transformer encoder", data: encoder, sown: true}}
	wheel := os.Getenv(wheelVariable)
	if wheel == "" {
		return models, nil
	}
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	for _, member := range archive.File {
		if ok, err := path.Match("onnx/backend/test/data/light/light_*.onnx", member.Name); !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		file, err := member.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path.Base(member.Name), "light_"), ".onnx")
		models = append(models, topology{name: name, data: data})
	}
	if len(models) != 10 {
		return nil, fmt.Errorf("%s has %d networks, want 9", wheel, len(models)-1)
	}
	return models, nil
}
