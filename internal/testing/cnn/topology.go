// Package cnn provides the nine convolutional networks that ONNX's own tests use, with random
// weights, and faults that can be planted into the networks. Only tests use it.
//
// The models are in the wheel of the onnx package, up to version 1.22. Their weights are constants,
// which makes all channels equal, so this package draws new weights by the rule of He et al. 2015
// for layers followed by a ReLU.
package cnn

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
)

// WheelVariable is the environment variable with the path of onnx's wheel, or of a zip file that
// contains files with the same names.
const WheelVariable = "MODELPARITY_ONNX_WHEEL"

var names = []string{"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
	"shufflenet", "squeezenet", "vgg19", "zfnet512"}

// Names returns the names of the nine topologies in alphabetical order.
func Names() []string { return slices.Clone(names) }

// Topology is one of the nine networks ([Names]), before it is split by [Topology.Network].
type Topology struct {
	Name string
	Data []byte // the ONNX model
	// Sown is true if the model's weights are already random. Otherwise, weights that a
	// ConstantOfShape computes are replaced with random ones.
	Sown bool
}

// Read reads a network ([Names]) from onnx's wheel.
func Read(wheel, name string) (Topology, error) {
	if !slices.Contains(names, name) {
		return Topology{}, fmt.Errorf("unknown network %q; the networks are %q", name, names)
	}
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return Topology{}, fmt.Errorf("%s: %w", wheel, err)
	}
	defer archive.Close()
	file, err := archive.Open("onnx/backend/test/data/light/light_" + name + ".onnx")
	if err != nil {
		return Topology{}, fmt.Errorf("%s: %w", wheel, err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return Topology{}, fmt.Errorf("%s: %s: %w", wheel, name, err)
	}
	return Topology{Name: name, Data: data}, nil
}

// CanHave reports whether some node of the topology is suitable for the fault.
func (t Topology) CanHave(f Fault) bool {
	return slices.ContainsFunc(f.ops, func(op string) bool {
		return bytes.Contains(t.Data, []byte(op))
	})
}
