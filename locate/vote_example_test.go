package locate_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// Three engines run one model, one rule judges all pairs, and the engine that stands apart is
// named. A real vote is among ort.Engine(), openvino.Engine() and tract.Engine().
func ExampleVote() {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2}}}
	}
	model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())

	report, err := locate.Vote(context.Background(), model, fixtures.Random(model),
		locate.VoteOptions{Compare: compare.Options{Checks: []compare.Check{
			compare.Within(1e-5, 1e-5, compare.Elementwise)}}},
		fake.Engine(fake.Named("a"), fake.Output("y", tensor.Of[float32](1, 2))),
		fake.Engine(fake.Named("b"), fake.Output("y", tensor.Of[float32](1, 2))),
		fake.Engine(fake.Named("c"), fake.Output("y", tensor.Of[float32](1, 2.5))))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("unanimous:", report.Unanimous())
	for _, out := range report.Outputs {
		fmt.Println(out.Name, out.Outcome, out.Apart)
	}
	// Output:
	// unanimous: false
	// y odd one out [fake Named(c), Output(a tensor)]
}
