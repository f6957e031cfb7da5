package openvino_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestOpenVINO(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/openvino")
}

// The contract of every engine has specs that OpenVINO is known to break, each with its finding
// (contract_test.go).
var _ = skips.AnnounceExceptions()

// needed skips specs that run models.
func needed() { BeforeEach(func() { openvino.Require(GinkgoT()) }) }

// ONNX's numbers of element types.
const (
	f32 = 1
	i64 = 7
	f64 = 11
)

// model is a model of the given nodes; io is the element types and shapes of its inputs and its
// outputs, by name.
func model(inputs, outputs []onnxtest.Value, initializers []onnxtest.Tensor,
	nodes ...onnxtest.Node) *loaders.Model {
	return loaders.ONNXBytes("model.onnx", onnxtest.Model{IR: 10, Opsets: map[string]int64{"": 21},
		Graph: onnxtest.Graph{Inputs: inputs, Outputs: outputs, Initializers: initializers,
			Nodes: nodes}}.Bytes())
}

// io is one input or output.
func io(name string, elem int32, dims ...any) onnxtest.Value {
	if dims == nil {
		dims = []any{}
	}
	return onnxtest.Value{Name: name, Elem: elem, Dims: dims}
}

// unranked is an input or output whose rank is not declared.
func unranked(name string, elem int32) onnxtest.Value {
	return onnxtest.Value{Name: name, Elem: elem}
}

func node(op string, in, out []string, attrs ...onnxtest.Attr) onnxtest.Node {
	return onnxtest.Node{Op: op, Name: op, In: in, Out: out, Attrs: attrs}
}

// names is a list of names.
func names(list ...string) []string { return list }

// unary is y = op(x).
func unary(op string, elem int32, dims ...any) *loaders.Model {
	return model([]onnxtest.Value{io("x", elem, dims...)}, []onnxtest.Value{io("y", elem, dims...)},
		nil, node(op, names("x"), names("y")))
}

// feed is one iteration of inputs.
func feed(entries ...tensor.Entry) fixtures.Inputs {
	GinkgoHelper()
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

func in(name string, t *tensor.Tensor) tensor.Entry { return tensor.Entry{Name: name, Tensor: t} }

// x is one iteration of the one input x.
func x(t *tensor.Tensor) fixtures.Inputs {
	GinkgoHelper()
	return feed(in("x", t))
}

// shaped is a tensor of the given shape.
func shaped[T tensor.Native](shape tensor.Shape, values ...T) *tensor.Tensor {
	GinkgoHelper()
	t, err := tensor.New(shape, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

// run gives the outputs of the first iteration.
func run(ctx SpecContext, m fixtures.Declaration, inputs fixtures.Inputs,
	o ...openvino.Option) *tensor.Set {
	GinkgoHelper()
	result, err := openvino.Run(ctx, m, inputs, o...)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Len()).To(Equal(1))
	return result.Outputs()[0]
}

// values is the outputs' names with their text, such as "y: float32[2] [1 2]".
func values(set *tensor.Set) []string {
	var texts []string
	for name, t := range set.All() {
		texts = append(texts, name+": "+t.GomegaString())
	}
	return texts
}
