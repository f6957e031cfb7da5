package onnxtest

// Chain is the model x → Relu a → Add(a, w) b → Neg c, with a separate branch x → Abs d. It also
// has an If, whose bodies read a from outside.
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

// Scattered has external data in two files: for an initializer and, within a body, for a Constant.
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
