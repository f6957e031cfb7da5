package loaders

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Operators counts the model's nodes by operator, including nodes in functions and in the bodies of
// If, Loop and Scan. Operators that are not ONNX's own are prefixed with their domain. A function's
// nodes count once, however often the function is called.
func (m *Model) Operators() (map[string]int, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	return counts, m.file.EveryNode(func(n *onnxwire.Node, _ *onnxwire.Reader) {
		counts[onnxfile.OperatorName(n.Domain, n.Op)]++
	})
}

// HasFloat64 reports whether the model computes in float64: whether a weight, an input, an output
// or the result of a Cast has this type.
func (m *Model) HasFloat64() (bool, error) {
	if err := m.Load(); err != nil {
		return false, err
	}
	graph, found := &m.file.Structure.Graph, false
	for _, w := range graph.Initializers {
		found = found || initializerOf(&w).Type == tensor.Float64
	}
	for _, v := range slices.Concat(valuesOf(graph.Inputs), valuesOf(graph.Outputs)) {
		found = found || v.Type == tensor.Float64
	}
	return found, m.file.EveryNode(func(n *onnxwire.Node, r *onnxwire.Reader) {
		const double = 11 // ONNX's number for float64
		found = found || n.Op == "Cast" && r.AttributesByName(n.Span).Integer("to", 0) == double
	})
}

// drawing lists the operators of ONNX and ONNX Runtime that draw random numbers.
var drawing = map[string]bool{"Bernoulli": true, "Multinomial": true, "RandomNormal": true,
	"RandomNormalLike": true, "RandomUniform": true, "RandomUniformLike": true, "Sampling": true,
	"BiasDropout": true, "BitmaskDropout": true, "BitmaskBiasDropout": true}

// trainingDropout is the first opset in which Dropout can draw random numbers at inference.
const trainingDropout = 12

// DrawsNumbers reports whether a run may draw random numbers: whether the model has an operator
// such as RandomNormal, or a Dropout with a training-mode input. Engines do not reset their random
// generators, so the successive runs of an open model differ.
func (m *Model) DrawsNumbers() (bool, error) {
	operators, err := m.Operators()
	if err != nil {
		return false, err
	}
	for operator := range operators {
		if drawing[operator[strings.LastIndex(operator, ".")+1:]] {
			return true, nil
		}
	}
	return m.file.Opset() >= trainingDropout && operators["Dropout"] > 0, nil
}
