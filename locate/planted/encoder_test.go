package planted_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// Sizes of the encoder.
const (
	blocks, tokens, hidden, heads = 4, 12, 32, 2
)

// encoder is a BERT as transformers initialises it: weights of 0.02, and normalisations that all
// have the same constants, so that each block almost repeats what it is given. It is written as one
// exporter writes it, or as another one does.
type encoder struct {
	onnxtest.Graph
	other bool
	skips []int // the residual sums
}

func newEncoder(other bool) *encoder {
	e := &encoder{other: other, Graph: onnxtest.Graph{Name: "encoder",
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, tokens, hidden}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2, 3}}}}}
	e.numbers("split", 0, 0, heads, hidden/heads)
	e.numbers("join", 0, 0, hidden)
	e.numbers("first", 0)
	e.Initializers[2].Dims = nil
	t := e.norm("embedded", "x")
	for i := range blocks {
		n := fmt.Sprint(i)
		t = e.norm("attended"+n, e.skip("sum"+n, e.attention(n, t), t))
		wide := e.gelu(n, e.linear("wide"+n, t, hidden, 2*hidden))
		t = e.norm("block"+n, e.skip("total"+n, e.linear("narrow"+n, wide, 2*hidden, hidden), t))
	}
	t = e.node("Gather", "select", []string{t, "first"}, integer("axis", 1))
	t = e.node("Gemm", "pool", []string{t, e.weight("wpool", 0.02, hidden, hidden), "bias32"})
	t = e.node("Tanh", "tanh", []string{t})
	e.node("Gemm", "head", []string{t, e.weight("whead", 0.02, hidden, 3), e.weight("bhead", 0, 3)})
	e.Nodes[len(e.Nodes)-1].Out[0] = "y"
	return e
}

func (e *encoder) attention(n, t string) string {
	q, k, v := e.head("q"+n, t, 0, 2, 1, 3), e.head("k"+n, t, 0, 2, 3, 1), e.head("v"+n, t, 0, 2, 1, 3)
	t = e.node("MatMul", "scores"+n, []string{q, k})
	if e.other {
		t = e.node("Div", "scaled"+n, []string{t, e.scalar("four", math.Sqrt(hidden/heads))})
	} else {
		t = e.node("Mul", "scaled"+n, []string{t, e.scalar("quarter", 1/math.Sqrt(hidden/heads))})
	}
	t = e.node("Softmax", "weights"+n, []string{t}, integer("axis", -1))
	t = e.node("MatMul", "mixed"+n, []string{t, v})
	t = e.node("Transpose", "turned"+n, []string{t}, ints("perm", 0, 2, 1, 3))
	t = e.node("Reshape", "joined"+n, []string{t, "join"})
	return e.linear("out"+n, t, hidden, hidden)
}

// head is a projection with its heads apart. The other exporter turns the keys twice.
func (e *encoder) head(name, t string, perm ...int64) string {
	t = e.node("Reshape", name+"_split", []string{e.linear(name, t, hidden, hidden), "split"})
	if e.other && perm[2] == 3 {
		t = e.node("Transpose", name+"_turned", []string{t}, ints("perm", 0, 2, 1, 3))
		perm = []int64{0, 1, 3, 2}
	}
	return e.node("Transpose", name+"_heads", []string{t}, ints("perm", perm...))
}

func (e *encoder) linear(name, t string, from, to int64) string {
	t = e.node("MatMul", name, []string{t, e.weight("w"+name, 0.02, from, to)})
	return e.sum(name+"_biased", t, e.weight(fmt.Sprint("bias", to), 0, to))
}

func (e *encoder) skip(name, branch, t string) string {
	e.skips = append(e.skips, len(e.Nodes))
	return e.sum(name, branch, t)
}

// sum adds; the other exporter turns the operands round.
func (e *encoder) sum(name, a, b string) string {
	in := []string{a, b}
	if e.other {
		slices.Reverse(in)
	}
	return e.node("Add", name, in)
}

func (e *encoder) norm(name, t string) string {
	return e.node("LayerNormalization", name, []string{t, e.scale(), e.weight("bias32", 0, hidden)},
		integer("axis", -1))
}

func (e *encoder) gelu(n, t string) string {
	inner := e.node("Div", "gelu"+n+"_div", []string{t, e.scalar("root", math.Sqrt2)})
	inner = e.node("Erf", "gelu"+n+"_erf", []string{inner})
	inner = e.sum("gelu"+n+"_add", inner, e.scalar("one", 1))
	if e.other { // x·(1 + erf) and then the half
		inner = e.node("Mul", "gelu"+n+"_mul", []string{t, inner})
		return e.node("Mul", "gelu"+n, []string{inner, e.scalar("half", 0.5)})
	}
	inner = e.node("Mul", "gelu"+n+"_mul", []string{e.scalar("half", 0.5), inner})
	return e.node("Mul", "gelu"+n, []string{t, inner})
}

func (e *encoder) node(op, name string, in []string, attributes ...onnxtest.Attr) string {
	out := name + "_out"
	if e.other { // names that say nothing
		name = fmt.Sprint("n", len(e.Nodes))
		out = fmt.Sprint("t", len(e.Nodes))
	}
	e.Nodes = append(e.Nodes, onnxtest.Node{Op: op, Name: name, In: in, Out: []string{out},
		Attrs: attributes})
	return out
}

func (e *encoder) scalar(name string, value float64) string {
	return e.initializer(onnxtest.Tensor{Name: name, Type: 1,
		Raw: onnxtest.Float32s(float32(value))})
}

func (e *encoder) scale() string {
	return e.initializer(onnxtest.Tensor{Name: "scale", Type: 1, Dims: []int64{hidden},
		Raw: onnxtest.Float32s(slices.Repeat([]float32{1}, hidden)...)})
}

func (e *encoder) numbers(name string, values ...int64) {
	e.initializer(onnxtest.Tensor{Name: name, Type: 7, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Int64s(values...)})
}

// weight is drawn from its name, so that both ways of writing have the same.
func (e *encoder) weight(name string, deviation float64, dims ...int64) string {
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name) // a hash takes everything
	random := rand.New(rand.NewPCG(hash.Sum64(), 3))
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(random.NormFloat64() * deviation)
	}
	return e.initializer(onnxtest.Tensor{Name: name, Type: 1, Dims: dims,
		Raw: onnxtest.Float32s(values...)})
}

func (e *encoder) initializer(t onnxtest.Tensor) string {
	if !slices.ContainsFunc(e.Initializers, func(o onnxtest.Tensor) bool { return o.Name == t.Name }) {
		e.Initializers = append(e.Initializers, t)
	}
	return t.Name
}

func ints(name string, values ...int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Ints: values}
}

func integer(name string, value int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Int: &value}
}

// wire is an operand of a residual sum that reads another tensor.
type wire struct {
	node, operand int
	to            string
}

// wires are all of them: to every earlier tensor of the residual stream's shape.
func (e *encoder) wires() (list []wire) {
	shaped := map[string]bool{"x": true} // of the stream's shape, so far
	for i, n := range e.Nodes {
		if slices.Contains(e.skips, i) {
			for operand, input := range n.In {
				for _, to := range e.before(i, shaped) {
					if to != input {
						list = append(list, wire{i, operand, to})
					}
				}
			}
		}
		shaped[n.Out[0]] = n.Op == "LayerNormalization" ||
			n.Op == "Add" && (shaped[n.In[0]] || shaped[n.In[1]]) ||
			n.Op == "Reshape" && n.In[1] == "join" || n.Op == "MatMul" && e.keepsWidth(n)
	}
	return list
}

// before is the tensors of the stream's shape that nodes before one give.
func (e *encoder) before(node int, shaped map[string]bool) (list []string) {
	for _, n := range e.Nodes[:node] {
		if shaped[n.Out[0]] {
			list = append(list, n.Out[0])
		}
	}
	return list
}

// keepsWidth reports whether a MatMul's weight gives the stream's width.
func (e *encoder) keepsWidth(n onnxtest.Node) bool {
	return slices.ContainsFunc(e.Initializers, func(t onnxtest.Tensor) bool {
		return t.Name == n.In[1] && t.Dims[1] == hidden
	})
}

// with is the encoder with one wire changed.
func (e *encoder) with(w wire) onnxtest.Graph {
	g := e.Graph
	g.Nodes = slices.Clone(g.Nodes)
	n := &g.Nodes[w.node]
	n.In = slices.Clone(n.In)
	n.In[w.operand] = w.to
	return g
}
