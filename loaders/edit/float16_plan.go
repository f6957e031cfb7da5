package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// halving converts a model to float16 or bfloat16. It first plans the type of each node and the
// types in which each weight is needed. Then it writes the model.
type halving struct {
	*rewriting
	model         *loaders.Model
	options       Float16
	opset         int64
	keep, keepOps wildcard.List
	nodes         []loaders.Node            // nodes of the graph; set only if KeepNode is set
	names         map[string]bool           // every name in the model, including added names
	functions     map[string]bool           // the model's own functions, by domain and name
	folded        map[string]*tensor.Tensor // see foldNormalizations
	scopes        map[int64]*halfScope
	current       *halfScope
	report        Float16Report
}

// mainGraph is the key of the model's main graph. The key of a body is its offset in the file.
const mainGraph = -1

// halfScope is the plan for converting one graph: the main graph, or a body of an If, Loop or Scan.
type halfScope struct {
	outer   *halfScope
	types   map[string]floatness // type of every tensor that this graph defines
	half    []bool               // by node: whether it computes in float16
	made    map[string]bool      // tensors that nodes compute in float16
	own     map[string]bool      // tensors that must exist in float32 under their own name
	weights map[string]bool      // float32 constants that can exist in both types
	wanted  map[string]versions  // the types in which nodes read each weight
	have    map[string]versions  // while writing: the names of each tensor's versions
	nodes   int                  // while writing: the number of nodes so far
}

// versions contains a string for the float32 version of a tensor and one for its float16 version,
// such as their names. The string is "" if the version does not exist.
type versions [2]string

const (
	full = iota
	half
)

// definer returns the plan of the innermost graph, from s outwards, that defines the named tensor,
// or nil.
func (s *halfScope) definer(name string) *halfScope {
	for ; s != nil; s = s.outer {
		if _, here := s.types[name]; here {
			return s
		}
	}
	return nil
}

// typeOf returns the known type of a tensor. The name of an omitted input is ""; it has no type.
func (s *halfScope) typeOf(name string) floatness {
	if name == "" {
		return unknownType
	}
	if d := s.definer(name); d != nil {
		return d.types[name]
	}
	return unknownType
}

// want records that a node reads the float32 or the float16 version of a tensor.
func (s *halfScope) want(name string, version int) {
	if d := s.definer(name); d != nil && d.weights[name] {
		w := d.wanted[name]
		w[version] = name
		d.wanted[name] = w
	}
}

// plan decides which nodes of a graph, and of the bodies in it, compute in the lower type, and in
// which types weights are needed. If the graph is a body and the enclosing node determines the
// types of its inputs, given contains these types.
func (c *halving) plan(g *onnxwire.Graph, at int64, outer *halfScope, given []floatness) {
	s := &halfScope{outer: outer, types: map[string]floatness{}, own: map[string]bool{},
		made: map[string]bool{}, weights: map[string]bool{}, wanted: map[string]versions{},
		have: map[string]versions{}}
	c.scopes[at] = s
	declared := map[string]floatness{}
	for v := range c.Values(g.Values) {
		declared[v.Name] = declaredFloat(v)
	}
	for i := range g.Initializers {
		t := &g.Initializers[i]
		s.types[t.Name] = floatOf(t.Type)
		s.weights[t.Name] = t.Type == wireFloat32 && !t.Sparse
	}
	for i, v := range g.Inputs {
		if s.types[v.Name] = declaredFloat(v); s.types[v.Name] == unknownType && i < len(given) {
			s.types[v.Name] = given[i]
		}
		delete(s.weights, v.Name) // a default, which callers may replace
	}
	for _, v := range g.Outputs {
		if declared[v.Name] == unknownType {
			declared[v.Name] = declaredFloat(v)
		}
		s.own[v.Name] = true
	}
	for name := range s.types {
		c.names[name] = true
	}
	counted := c.countingNodes(g)
	for i, n := range c.Nodes(g.Nodes) {
		c.planNode(s, i, n, declared, counted[i])
	}
	for _, v := range g.Outputs {
		s.want(v.Name, full)
		if d := s.definer(v.Name); d != nil {
			d.own[v.Name] = true // an outer graph's tensor as a body's output
		}
	}
}

func declaredFloat(v onnxwire.Value) floatness {
	switch v.Type.Kind {
	case onnxwire.TensorKind:
		return floatOf(v.Type.Elem)
	case onnxwire.Untyped:
		return unknownType
	}
	return isOther // sequences, maps and optionals
}

// planNode decides whether a node computes in float16, and records the tensors that the node
// returns and reads.
func (c *halving) planNode(s *halfScope, i int, n *onnxwire.Node, declared map[string]floatness,
	counts bool) {
	inputs := make([]floatness, len(n.Inputs))
	for k, name := range n.Inputs {
		inputs[k] = s.typeOf(name)
	}
	var bodies [][]floatness
	for _, span := range n.Bodies {
		body := c.Body(span)
		given := inputs
		if n.Op == "Scan" && c.opset < 9 && len(given) > 0 {
			given = given[1:] // the body has no input for Scan's sequence lengths
		}
		c.plan(body, span.Start, s, given)
		var types []floatness
		for _, v := range body.Outputs {
			types = append(types, c.scopes[span.Start].typeOf(v.Name))
		}
		bodies = append(bodies, types)
	}
	typed := c.typed(n)
	floats := slices.Contains(inputs, isFloat32)
	for k, name := range n.Outputs {
		if name == "" {
			continue
		}
		c.names[name] = true
		t := c.outputType(n, k, inputs, typed, bodies)
		if t == unknownType {
			t = declared[name]
		}
		s.types[name] = t
		floats = floats || t == isFloat32
	}
	if onnxfile.IsConstant(n.Domain, n.Op) && len(n.Outputs) > 0 {
		if typed != 0 {
			s.types[n.Outputs[0]] = floatOf(typed)
		}
		s.weights[n.Outputs[0]] = typed == wireFloat32
		floats = false
	}
	reason := c.stays(n, i, s.outer == nil, counts)
	s.half = append(s.half, floats && reason == "")
	if floats && reason != "" {
		c.kept(reason, n)
	} else if floats {
		c.report.Half++
		for k, name := range n.Outputs {
			// The type of LayerNormalization's statistics does not depend on its inputs' type.
			s.made[name] = s.types[name] == isFloat32 && (n.Op != "LayerNormalization" || k == 0)
		}
	}
	c.noteReads(s, i, n, inputs)
}

// noteReads records whether a node reads each of its inputs in float32 or in float16.
func (c *halving) noteReads(s *halfScope, i int, n *onnxwire.Node, inputs []floatness) {
	for k, name := range n.Inputs {
		switch {
		case inputs[k] == isFloat32 && s.half[i] && !c.isPinned(n, k):
			s.want(name, half)
		case inputs[k] == isFloat32:
			s.want(name, full)
		case inputs[k] == unknownType && name != "" && s.half[i]:
			c.Fail(fmt.Errorf("node %q (%s): the type of input %q is unknown; infer types first "+
				"with edit.InferShapes", n.Name, n.Op, name))
		}
	}
}

// typed returns the type that a node's attribute names, or the type of a Constant's value, or 0 if
// there is neither.
func (c *halving) typed(n *onnxwire.Node) int32 {
	attribute := typeAttributes[n.Op]
	valued := n.Op == "Constant" || n.Op == "ConstantOfShape"
	if !onnxfile.IsONNX(n.Domain) || attribute == "" && !valued {
		return 0
	}
	if valued {
		if len(n.Outputs) == 0 {
			c.Fail(fmt.Errorf("node %q (%s) has no outputs", n.Name, n.Op))
			return 0
		}
		value, err := c.model.File().NodeValue(c.Reader, n.Span)
		c.Fail(err)
		if value != nil {
			return onnxfile.NumberOf(value.ElementType())
		}
	}
	for _, a := range c.Attributes(n.Span) {
		switch {
		case valued && strings.HasPrefix(a.Name, "value_int"): // an empty list
			return wireInt64
		case valued && strings.HasPrefix(a.Name, "value_string"):
			return wireString
		case !valued && a.Name == attribute:
			number, err := strconv.ParseInt(a.Text, 10, 32)
			if err != nil {
				c.Fail(fmt.Errorf("node %q (%s): attribute %s is %s, not a type", n.Name, n.Op, a.Name,
					a.Text))
			}
			return int32(number)
		}
	}
	return 0
}

// stays returns the reason why a node stays in float32, or "" if it does not.
func (c *halving) stays(n *onnxwire.Node, i int, inGraph, counts bool) string {
	chosen := c.keep.Match(n.Name) && n.Name != ""
	for _, name := range n.Outputs {
		chosen = name != "" && c.keep.Match(name) || chosen
	}
	byOp := c.keepOps.Match(strings.ToLower(n.Op))
	if inGraph && c.options.KeepNode != nil && !chosen && !byOp {
		chosen = c.options.KeepNode(c.nodes[i])
	}
	switch {
	case chosen:
		return "chosen"
	case byOp:
		return "operator " + n.Op + " chosen"
	case c.functions[n.Domain+"."+n.Op]:
		return "calls of the model's own functions"
	case !onnxfile.IsONNX(n.Domain):
		return "operators of " + n.Domain
	case len(n.Bodies) > 0:
		return "the inputs and outputs of " + n.Op
	case onlyFloat32[n.Op] > c.opset:
		return "operator " + n.Op
	case n.Op == "MeanVarianceNormalization":
		return "operator " + n.Op + ", which ONNX Runtime's CPU kernels do not support in float16"
	case c.scatters(n):
		return "reductions of " + n.Op + ", which ONNX Runtime's CPU kernels do not support in float16"
	case counts:
		return "shapes and indices"
	}
	return ""
}

// scatters reports whether a node adds, multiplies or compares the values that it scatters. ONNX
// Runtime has no CPU kernels for such nodes in float16, and its optimiser does not insert casts
// around them, as it does for other operators.
func (c *halving) scatters(n *onnxwire.Node) bool {
	if n.Op != "ScatterElements" && n.Op != "ScatterND" {
		return false
	}
	reduction := c.AttributesByName(n.Span).Word("reduction")
	return reduction != "" && reduction != "none"
}

// countingNodes finds the nodes of a graph that compute shapes and indices. It starts at node
// inputs that take a shape or indices, such as Reshape's second one, and walks back through the
// nodes that compute them.
func (c *halving) countingNodes(g *onnxwire.Graph) map[int]bool {
	producer := map[string]int{}
	var pending []string
	for i, n := range c.Nodes(g.Nodes) {
		for _, name := range n.Outputs {
			producer[name] = i
		}
		for _, k := range sizes[n.Op] {
			if onnxfile.IsONNX(n.Domain) && k < len(n.Inputs) && n.Inputs[k] != "" {
				pending = append(pending, n.Inputs[k])
			}
		}
	}
	found, seen := map[int]bool{}, map[int]bool{}
	for len(pending) > 0 {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		i, made := producer[name]
		if !made || seen[i] {
			continue
		}
		seen[i] = true
		if n := c.Node(g.Nodes[i]); counting[n.Op] && onnxfile.IsONNX(n.Domain) {
			found[i] = true
			pending = append(pending, n.Inputs...)
		}
	}
	return found
}
