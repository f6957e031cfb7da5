package cli

import "github.com/modelparity/modelparity/internal/testing/onnxtest"

// numbers is how many values an input and a weight have: what is written of them fills a pipe.
const numbers = 50_000

// wide is a model with a large weight.
func wide() []byte {
	dims := []any{numbers}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", Name: "add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{numbers},
			Raw: make([]byte, 4*numbers)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}},
	}}.Bytes()
}
