package onnxtest

import "math"

// Chain is a model with the nodes a = Relu(x), b = Add(a, w), c = Neg(b) and d = Abs(x). It also
// has an If whose branches read the tensor a from the enclosing graph.
func Chain() Model {
	branch := Graph{Name: "branch",
		Nodes:   []Node{{Op: "Exp", In: []string{"a"}, Out: []string{"inner"}}},
		Outputs: []Value{{Name: "inner", Elem: 1}}}
	return Model{Graph: Graph{
		Nodes: []Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Add", Name: "add", In: []string{"a", "w"}, Out: []string{"b"}},
			{Op: "Neg", Name: "neg", In: []string{"b"}, Out: []string{"c"}},
			{Op: "Abs", Name: "abs", In: []string{"x"}, Out: []string{"d"}},
			{Op: "If", Name: "if", In: []string{"flag"}, Out: []string{"e"}, Attrs: []Attr{
				{Name: "then_branch", Graph: &branch}, {Name: "else_branch", Graph: &branch}}},
		},
		Initializers: []Tensor{
			{Name: "w", Type: 1, Dims: []int64{2}, Raw: Float32s(1, 2)},
			{Name: "unused", Type: 1, Dims: []int64{1}, Raw: Float32s(1)}},
		Inputs: []Value{
			{Name: "x", Elem: 1, Dims: []any{"batch", 2}}, {Name: "flag", Elem: 9, Dims: []any{}}},
		Outputs: []Value{{Name: "c", Elem: 1, Dims: []any{"batch", 2}},
			{Name: "d", Elem: 1, Dims: []any{"batch", 2}}, {Name: "e", Elem: 1}},
		Values: []Value{{Name: "b", Elem: 1, Dims: []any{"batch", 2}}},
	}}
}

// Whole is [Chain] with an external weight, a custom operator, and an opset for that operator.
func Whole() Model {
	m := Chain()
	m.Opsets = map[string]int64{"": 19, "local": 1}
	m.Functions = []Function{{Name: "Twice", Domain: "local", In: []string{"p"},
		Out:   []string{"q"},
		Nodes: []Node{{Op: "Add", In: []string{"p", "p"}, Out: []string{"q"}}}}}
	m.Graph.Nodes = append(m.Graph.Nodes, Node{Op: "Twice", Name: "twice", Domain: "local",
		In: []string{"c"}, Out: []string{"f"}})
	m.Graph.Initializers[0] = Tensor{Name: "w", Type: 1, Dims: []int64{2},
		Location: "w.bin", Offset: "4", Length: "8"}
	return m
}

// InFunction is a MatMul, inside the model's own function local.Product, followed by a Softmax.
func InFunction() Model {
	return Model{Opsets: map[string]int64{"": 17, "local": 1},
		Functions: []Function{{Name: "Product", Domain: "local", In: []string{"p", "q"},
			Out:   []string{"r"},
			Nodes: []Node{{Op: "MatMul", In: []string{"p", "q"}, Out: []string{"r"}}}}},
		Graph: Graph{Nodes: []Node{
			{Op: "Product", Domain: "local", In: []string{"x", "w"}, Out: []string{"m"}},
			{Op: "Softmax", In: []string{"m"}, Out: []string{"y"}}},
			Initializers: []Tensor{{Name: "w", Type: 1, Dims: []int64{2, 2},
				Raw: Float32s(0.3, -0.7, 0.9, 1.1)}},
			Inputs:  []Value{{Name: "x", Elem: 1, Dims: []any{2}}},
			Outputs: []Value{{Name: "y", Elem: 1, Dims: []any{2}}}}}
}

// Scattered is [Chain] with external data in two files: one for the initializers, and one for a
// Constant in the If's branches.
func Scattered() Model {
	m := Chain()
	m.Graph.Initializers[0] = Tensor{Name: "w", Type: 1, Dims: []int64{2},
		Location: "w.bin", Offset: "4", Length: "8"}
	m.Graph.Initializers[1] = Tensor{Name: "twin", Type: 1, Dims: []int64{2},
		Location: "w.bin", Offset: "4", Length: "8"}
	body := m.Graph.Nodes[4].Attrs[0].Graph
	body.Nodes = append(body.Nodes, Node{Op: "Constant", Out: []string{"k"},
		Attrs: []Attr{{Name: "value", Tensor: &Tensor{
			Name: "k", Type: 2, Dims: []int64{3}, Location: "k.bin"}}}})
	return m
}

// Softcap is x → Neg q → Attention → y with a soft cap and a mask that hides one of two keys. ONNX
// Runtime up to 1.26.0 applies the cap after the mask, so the hidden key still contributes; 1.27.0
// applies the cap first.
func Softcap() Model {
	softcap := float32(1)
	value := func(name string) Value { return Value{Name: name, Elem: 1, Dims: []any{1, 1, 2, 4}} }
	hidden := float32(math.Inf(-1))
	return Model{IR: 10, Opsets: map[string]int64{"": 23}, Graph: Graph{
		Nodes: []Node{
			{Op: "Neg", Name: "negate", In: []string{"x"}, Out: []string{"q"}},
			{Op: "Attention", Name: "attend", In: []string{"q", "x", "x", "mask"}, Out: []string{"y"},
				Attrs: []Attr{{Name: "softcap", Float: &softcap}}},
		},
		Initializers: []Tensor{{Name: "mask", Type: 1, Dims: []int64{2, 2},
			Raw: Float32s(0, hidden, 0, hidden)}},
		Inputs: []Value{value("x")}, Outputs: []Value{value("y")}}}
}

// LSTM is an LSTM of three cells over frames x of four values, then Tanh. Its states h and c become
// the outputs hn and cn.
func LSTM() Model {
	const width, hidden = 4, 3
	size := int64(hidden)
	weights := func(name string, columns int, by float64) Tensor {
		values := make([]float32, 4*hidden*columns)
		for i := range values {
			values[i] = float32(math.Sin(float64(i)*by) / 2)
		}
		return Tensor{Name: name, Type: 1, Dims: []int64{1, 4 * hidden, int64(columns)},
			Raw: Float32s(values...)}
	}
	state := func(name string) Value {
		return Value{Name: name, Elem: 1, Dims: []any{1, "batch", hidden}}
	}
	return Model{Graph: Graph{
		Nodes: []Node{
			{Op: "LSTM", Name: "lstm", In: []string{"x", "w", "r", "", "", "h", "c"},
				Out: []string{"y", "hn", "cn"}, Attrs: []Attr{{Name: "hidden_size", Int: &size}}},
			{Op: "Tanh", Name: "tanh", In: []string{"y"}, Out: []string{"out"}}},
		Initializers: []Tensor{weights("w", width, 0.7), weights("r", hidden, 1.3)},
		Inputs: []Value{{Name: "x", Elem: 1, Dims: []any{"frames", "batch", width}}, state("h"),
			state("c")},
		Outputs: []Value{{Name: "out", Elem: 1, Dims: []any{"frames", 1, "batch", hidden}},
			state("hn"), state("cn")},
	}}
}
