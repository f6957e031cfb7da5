package reorder_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// network is a model of one float input, "x", and one output, "y".
type network struct {
	shape   []int // of x
	weights []onnxtest.Tensor
	nodes   []onnxtest.Node
	opset   int64 // 0 is 19
}

func (n network) model() *loaders.Model {
	dims := make([]any, len(n.shape))
	for i, d := range n.shape {
		dims[i] = d
	}
	m := onnxtest.Model{Graph: onnxtest.Graph{Nodes: n.nodes, Initializers: n.weights,
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y"}}}}
	if n.opset != 0 {
		m.Opsets = map[string]int64{"": n.opset}
	}
	return loaders.ONNXBytes("network.onnx", m.Bytes())
}

func (n network) inputs(t *testing.T) fixtures.Inputs {
	t.Helper()
	return fixtures.Of(set(t, "x", n.shape, numbers(1, n.shape)))
}

func numbers(seed uint64, shape []int) []float32 {
	count := 1
	for _, d := range shape {
		count *= d
	}
	random := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return values
}

func set(t *testing.T, name string, shape []int, values []float32) *tensor.Set {
	t.Helper()
	x, err := tensor.New(shape, values)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: x})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func weight(name string, dims ...int) onnxtest.Tensor {
	var long []int64
	for _, d := range dims {
		long = append(long, int64(d))
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: long,
		Raw: onnxtest.Float32s(numbers(uint64(len(name)+len(dims)), dims)...)}
}

func integers(name string, values ...int64) onnxtest.Tensor {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return onnxtest.Tensor{Name: name, Type: 7, Dims: []int64{int64(len(values))}, Raw: raw}
}

func truth(value bool) onnxtest.Tensor {
	t := onnxtest.Tensor{Name: "yes", Type: 9, Dims: []int64{}, Raw: []byte{0}}
	if value {
		t.Raw[0] = 1
	}
	return t
}

// then and otherwise return branches, which end in the tensor "inner".
func then(nodes ...onnxtest.Node) onnxtest.Attr { return branch("then_branch", nodes) }

func otherwise(nodes ...onnxtest.Node) onnxtest.Attr { return branch("else_branch", nodes) }

func branch(name string, nodes []onnxtest.Node) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Graph: &onnxtest.Graph{Name: name, Nodes: nodes,
		Outputs: []onnxtest.Value{{Name: "inner", Elem: 1}}}}
}

func node(op, in string, attributes ...onnxtest.Attr) onnxtest.Node {
	n := onnxtest.Node{Op: op, Out: []string{"y"}, Attrs: attributes}
	n.In = append(n.In, splitWords(in)...)
	return n
}

func splitWords(text string) (list []string) {
	word := ""
	for _, r := range text + " " {
		if r != ' ' {
			word += string(r)
			continue
		}
		if word == "-" {
			word = ""
		}
		list, word = append(list, word), ""
	}
	return list
}

func of(name string, value int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Int: &value} }

// rewritten rewrites a model after its shapes were inferred.
func rewritten(t *testing.T, m *loaders.Model) (*reorder.Reordered, error) {
	t.Helper()
	infer := func(m *loaders.Model) (*loaders.Model, error) {
		return edit.InferShapes(t.Context(), m, ort.EditEngine())
	}
	inferred, err := infer(m)
	if err != nil {
		t.Fatal(err)
	}
	return reorder.Of(m, inferred, infer, 100_000) // small seeds that follow each other draw alike
}

// runs returns the values of y in some runs of one session.
func runs(t *testing.T, m *loaders.Model, inputs fixtures.Inputs, count int) [][]float64 {
	t.Helper()
	plain := backends.Unshared(ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
	b, err := plain.Open(t.Context(), m, inputs)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close() //nolint:errcheck // it was only read
	var all [][]float64
	for range count {
		run, err := b.Run(t.Context(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		y, _ := run.Outputs()[0].Get("y")
		all = append(all, y.Float64s())
	}
	return all
}
