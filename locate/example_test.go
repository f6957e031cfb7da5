package locate_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// Two engines part at the tensor that the second node makes. The subjects come from two runs, as
// [backends.Run.Subject] gives them; here they are made by hand, of engines that compute nothing.
func ExampleDivergence() {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2}}}
	}
	model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Neg", Name: "first", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Exp", Name: "second", In: []string{"a"}, Out: []string{"b"}},
			{Op: "Neg", Name: "third", In: []string{"b"}, Out: []string{"y"}}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())
	engine := func(b, y float32) backends.Engine {
		gives := func(entries ...tensor.Entry) backends.Infer {
			set, err := tensor.NewSet(entries...)
			return func(context.Context, *tensor.Set) (*tensor.Set, error) { return set, err }
		}
		return fake.Engine(
			fake.Func(gives(tensor.Entry{Name: "y", Tensor: tensor.Of(y, y)})),
			fake.Inside(gives(tensor.Entry{Name: "a", Tensor: tensor.Of[float32](-1, -1)},
				tensor.Entry{Name: "b", Tensor: tensor.Of(b, b)})))
	}
	inputs := fixtures.Random(model)
	actual := backends.Subject{Engine: engine(0.5, -0.5), Model: model, Inputs: inputs}
	expected := backends.Subject{Engine: engine(0.36787945, -0.36787945), Model: model, Inputs: inputs}

	found, err := locate.Divergence(context.Background(), actual, expected, locate.Options{
		Compare: compare.Options{Checks: []compare.Check{
			compare.Within(1e-5, 1e-5, compare.Elementwise)}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.First.Node, found.First.Abs)
	fmt.Println(strings.NewReplacer(": ", ":\n", "; ", ";\n").Replace(found.Cause))
	// Output:
	// second 0.1321
	// "b" is the first tensor out of tolerance, computed by Exp "second" (node 1):
	// its inputs agree;
	// the node did not run alone, so nothing confirms that it is at fault
}
