package locate_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// The output is NaN; the logarithm of a negative number is where that begins.
func ExampleNonFinite() {
	if ort.Available() != nil {
		fmt.Println("Log of -1 … 2") // this machine has no ONNX Runtime
		return
	}
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2}}}
	}
	model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Log", Name: "log", In: []string{"x"}, Out: []string{"l"}},
			{Op: "Neg", Name: "neg", In: []string{"l"}, Out: []string{"y"}}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())
	x, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](-1, 2)})

	found, err := locate.NonFinite(context.Background(),
		backends.Subject{Engine: ort.Engine(), Model: model, Inputs: fixtures.Of(x)})
	if err != nil {
		fmt.Println(err)
		return
	}
	operand := found.NaN.Operands[0]
	fmt.Println(found.NaN.Node.Op, "of", operand.Least, "…", operand.Greatest)
	// Output: Log of -1 … 2
}
