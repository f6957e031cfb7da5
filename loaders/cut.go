package loaders

import (
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// CutSuffix is appended to the name of a tensor that [Model.Cut] was asked to compute and is given
// at the same time.
const CutSuffix = "/own"

// Cut returns the part of the model that computes outputs, with inputs given from outside. It is a
// valid model by itself: the nodes on the way, in graph order, the initializers they use, the opset
// imports and the functions. External data stays where it is, see [Model.Dir].
//
// Inputs need a name and a tensor type; a shape helps engines that want one. Those that are not on
// the way to any output are left out, and the model's own inputs that are still needed are kept,
// so [Model.Inputs] of the result says what to feed. Outputs need only a name; a type that the
// model declares is used where none is given.
//
// A tensor may be both: then its nodes compute it under its name with [CutSuffix], from what is
// given, and everything else reads the given one. Given every tensor, each node thus runs alone.
//
// A name that the model does not have, an input that is not a tensor, and an output that nothing
// computes are errors.
func (m *Model) Cut(inputs, outputs []Value) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(fmt.Errorf("cut: %w", err))
	}
	defer done()
	c, err := m.newCut(inputs, source)
	if err == nil {
		err = c.reach(outputs)
	}
	if err != nil {
		return nil, m.located(fmt.Errorf("cut: %w", err))
	}
	content, err := c.content(outputs)
	if err != nil {
		return nil, m.located(fmt.Errorf("cut: %w", err))
	}
	return m.derive(content), nil
}

// cut is the part while it is being found.
type cut struct {
	model    *Model
	graph    *onnxwire.Graph
	source   onnxwire.Source
	reader   *onnxwire.Reader
	given    map[string]onnxwire.Type
	order    []string       // of given
	producer map[string]int // node by output
	weight   map[string]int // initializer by name
	declared map[string]int // graph input by name

	nodes, weights, declares map[int]bool // what is needed
	used                     map[string]bool
}

func (m *Model) newCut(inputs []Value, source onnxwire.Source) (*cut, error) {
	c := &cut{model: m, graph: &m.structure.Graph, source: source,
		reader: onnxwire.NewReader(source), given: map[string]onnxwire.Type{},
		producer: map[string]int{}, weight: map[string]int{}, declared: map[string]int{},
		nodes: map[int]bool{}, weights: map[int]bool{}, declares: map[int]bool{},
		used: map[string]bool{}}
	err := m.list(func(take func(int) error) error {
		if err := take(perName * (len(c.graph.Initializers) + len(c.graph.Inputs))); err != nil {
			return err
		}
		return each(c.reader, &c.graph.Nodes, func(i int, n *onnxwire.Node) error {
			for _, name := range n.Outputs {
				if name != "" {
					c.producer[name] = i
				}
			}
			return take(perName * (1 + len(n.Outputs))) // that it is needed is noted, too
		})
	})
	if err != nil {
		return nil, err
	}
	for i := range c.graph.Initializers {
		c.weight[c.graph.Initializers[i].Name] = i
	}
	for i := range c.graph.Inputs {
		c.declared[c.graph.Inputs[i].Name] = i
	}
	for _, v := range inputs {
		if !c.has(v.Name) {
			return nil, fmt.Errorf("no tensor %q to feed", v.Name)
		}
		wire, err := wireType(v)
		if err != nil {
			return nil, err
		}
		if _, twice := c.given[v.Name]; !twice {
			c.order = append(c.order, v.Name)
		}
		c.given[v.Name] = wire
	}
	return c, nil
}

func (c *cut) has(name string) bool {
	_, made := c.producer[name]
	_, weight := c.weight[name]
	_, declared := c.declared[name]
	return made || weight || declared
}

// wireType is the type of a given tensor.
func wireType(v Value) (onnxwire.Type, error) {
	number := slices.IndexFunc(dataTypes[:], func(t dataType) bool {
		return t.elem == v.Type && v.Type.Valid()
	})
	if v.Kind != Tensor || number < 0 {
		return onnxwire.Type{}, fmt.Errorf("%q cannot be declared: it is not a tensor of a known type",
			v.Name)
	}
	t := onnxwire.Type{Kind: onnxwire.TensorKind, Elem: int32(number), HasShape: v.HasShape}
	for _, d := range v.Dims {
		t.Dims = append(t.Dims, onnxwire.Dim{Size: int64(d.Size), Param: d.Symbol})
	}
	return t, nil
}

// reach finds what the outputs need, walking against the edges.
func (c *cut) reach(outputs []Value) error {
	var pending []string
	need := func(node int) error {
		if c.nodes[node] {
			return nil
		}
		c.nodes[node] = true
		n, err := c.reader.Node(c.graph.Nodes.At(node))
		if err != nil {
			return err
		}
		inside, err := captured(&n, c.reader)
		pending = append(append(pending, n.Inputs...), inside...)
		return err
	}
	for _, v := range outputs {
		node, made := c.producer[v.Name]
		_, given := c.given[v.Name]
		switch {
		case made:
			if err := need(node); err != nil {
				return err
			}
		case !c.has(v.Name):
			return fmt.Errorf("no tensor %q to compute", v.Name)
		case given:
			return fmt.Errorf("%q is given, and no node computes it", v.Name)
		default:
			pending = append(pending, v.Name)
		}
	}
	for len(pending) > 0 {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if name == "" {
			continue
		}
		if _, given := c.given[name]; given {
			c.used[name] = true
			continue
		}
		if node, made := c.producer[name]; made {
			if err := need(node); err != nil {
				return err
			}
			continue
		}
		weight, isWeight := c.weight[name]
		declared, isDeclared := c.declared[name]
		if !isWeight && !isDeclared {
			return fmt.Errorf("tensor %q is used, but nothing makes it", name)
		}
		if isWeight {
			c.weights[weight] = true
		}
		if isDeclared { // before IR version 4 every initializer is an input as well
			c.declares[declared] = true
		}
	}
	if len(c.nodes)+len(c.weights)+len(c.declares) == 0 {
		return fmt.Errorf("no outputs were asked for")
	}
	return nil
}

// content writes the part.
func (c *cut) content(outputs []Value) (content, error) {
	s := c.model.structure
	head := onnxwire.AppendVarint(nil, onnxwire.ModelIRVersion, uint64(s.IRVersion))
	for _, o := range s.Opsets {
		head = onnxwire.AppendMessage(head, onnxwire.ModelOpset,
			onnxwire.AppendVarint(onnxwire.AppendText(nil, 1, o.Domain), 2, uint64(o.Version)))
	}
	graph, err := c.graphContent(outputs)
	if err != nil {
		return nil, err
	}
	model := &spliced{from: c.model.content}
	model.write(head)
	model.embed(onnxwire.ModelGraph, graph)
	for i := range s.Functions {
		model.message(onnxwire.ModelFunction, s.Functions[i].Span)
	}
	return model, nil
}

// message copies a message of the other model as a field.
func (s *spliced) message(number protowire.Number, span onnxwire.Span) {
	s.write(prefix(number, span.Len()))
	s.copy(span)
}

// prefix is the tag and the length of a length-delimited field.
func prefix(number protowire.Number, length int64) []byte {
	return protowire.AppendVarint(
		protowire.AppendTag(nil, number, protowire.BytesType), uint64(length))
}

func (c *cut) graphContent(outputs []Value) (*spliced, error) {
	out := &spliced{from: c.model.content}
	rename := map[string]string{}
	for name := range c.given {
		if c.has(name + CutSuffix) {
			return nil, fmt.Errorf("the model has a tensor %q already", name+CutSuffix)
		}
		rename[name] = name + CutSuffix
	}
	if err := c.writeNodes(out, rename); err != nil {
		return nil, err
	}
	name := c.graph.Name
	if name == "" {
		name = "cut" // a graph without a name is not valid
	}
	out.write(onnxwire.AppendText(nil, onnxwire.GraphName, name))
	for _, i := range sorted(c.weights) {
		number := onnxwire.GraphInitializer
		if c.graph.Initializers[i].Sparse {
			number = onnxwire.GraphSparseInitializer
		}
		out.message(number, c.graph.Initializers[i].Span)
	}
	for _, i := range sorted(c.declares) {
		out.message(onnxwire.GraphInput, c.graph.Inputs[i].Span)
	}
	for _, name := range c.order {
		if c.used[name] {
			t := c.given[name]
			out.write(onnxwire.AppendMessage(nil, onnxwire.GraphInput, onnxwire.AppendValue(nil, name, &t)))
		}
	}
	if err := c.writeOutputs(out, outputs, rename); err != nil {
		return nil, err
	}
	return out, c.eachValue(func(v onnxwire.Value) {
		node, made := c.producer[v.Name]
		if _, given := c.given[v.Name]; made && c.nodes[node] && !given {
			out.message(onnxwire.GraphValueInfo, v.Span)
		}
	})
}

// writeNodes copies the needed nodes; only those that compute a given tensor are read.
func (c *cut) writeNodes(out *spliced, rename map[string]string) error {
	for _, i := range sorted(c.nodes) {
		n, err := c.reader.Node(c.graph.Nodes.At(i))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(n.Outputs, func(name string) bool { return rename[name] != "" }) {
			out.message(onnxwire.GraphNode, n.Span)
			continue
		}
		message := make([]byte, n.Span.Len())
		if _, err := io.ReadFull(io.NewSectionReader(c.source, n.Span.Start, n.Span.Len()),
			message); err != nil {
			return err
		}
		out.write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, onnxwire.Rewrite(message, rename)))
	}
	return nil
}

// writeOutputs declares the outputs, with the best type that is known for each.
func (c *cut) writeOutputs(out *spliced, outputs []Value, rename map[string]string) error {
	known := map[string]onnxwire.Type{}
	for _, v := range outputs {
		known[v.Name] = onnxwire.Type{}
	}
	learn := func(v onnxwire.Value) {
		if _, asked := known[v.Name]; asked {
			known[v.Name] = v.Type
		}
	}
	for _, v := range c.graph.Inputs {
		learn(v)
	}
	if err := c.eachValue(learn); err != nil {
		return err
	}
	for _, v := range c.graph.Outputs {
		learn(v)
	}
	for _, v := range outputs {
		t, err := wireType(v)
		if err != nil { // only a name: fall back to what the model declares, or leave it open
			t = known[v.Name]
		}
		name := v.Name
		if other := rename[name]; other != "" {
			name = other
		}
		out.write(onnxwire.AppendMessage(nil, onnxwire.GraphOutput, onnxwire.AppendValue(nil, name, &t)))
	}
	return nil
}

// eachValue reads what the model declares about tensors inside.
func (c *cut) eachValue(visit func(onnxwire.Value)) error {
	for _, span := range c.graph.Values.All() {
		v, err := c.reader.Value(span)
		if err != nil {
			return err
		}
		visit(v)
	}
	return nil
}

// sorted is the members of a set of indices, ascending.
func sorted(set map[int]bool) []int {
	list := make([]int, 0, len(set))
	for i := range set {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}
