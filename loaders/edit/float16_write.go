package edit

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// change writes the replacement of a field. It returns false if the field does not change.
func (c *halving) change(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
	switch {
	case isNode(in, f):
		i := c.current.nodes
		c.current.nodes++
		c.node(out, i, c.Node(f.Body), f)
		return true
	case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphInitializer:
		return c.initializer(out, f)
	case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphValueInfo:
		return c.valueInfo(out, f)
	}
	return false
}

// get returns the name that a node uses to read the float32 or the float16 version of a tensor. If
// that version does not exist yet, get adds a Cast.
func (c *halving) get(out *spliced, name string, version int) string {
	definer := c.current.definer(name)
	had := name // the name of the version to cast from
	for s := c.current; s != nil; s = s.outer {
		if got := s.have[name][version]; got != "" {
			return got
		}
		if got := s.have[name][1-version]; got != "" {
			had = got
		}
		if s == definer {
			if w := s.wanted[name]; s.weights[name] && w[version] != "" {
				return c.weightName(s, name, version)
			}
			break
		}
	}
	if definer != nil && definer.have[name] == (versions{}) && version == full {
		return name // an input, or computed in float32
	}
	to := tensor.Float32
	if version == half {
		to = c.report.Type
	}
	cast := fresh(c.names, name, "/"+to.String())
	v := c.current.have[name]
	v[version] = cast
	if v[1-version] == "" {
		v[1-version] = had
	}
	c.current.have[name] = v
	c.cast(out, had, cast, to)
	return cast
}

func (c *halving) cast(out *spliced, from, to string, elem tensor.ElementType) {
	c.report.Casts++
	writeNodes(c.rewriting, out, []NewNode{{Op: "Cast", Inputs: []string{from},
		Outputs: []string{to}, To: elem}}, nil)
}

// weightName returns the name of a version of a weight. It is the original name, or has a suffix if
// the version is float16 and the float32 version is needed too.
func (c *halving) weightName(s *halfScope, name string, version int) string {
	if v := s.have[name]; v[version] != "" {
		return v[version]
	}
	v := s.wanted[name]
	if v[full] != "" && v[half] != "" {
		v[half] = fresh(c.names, name, "/"+c.report.Type.String())
	}
	s.have[name] = v
	return v[version]
}

// node writes a node that reads and returns the planned versions of tensors.
func (c *halving) node(out *spliced, i int, n *onnxwire.Node, f onnxwire.Field) {
	s := c.current
	if onnxfile.IsConstant(n.Domain, n.Op) && s.weights[n.Outputs[0]] {
		c.constant(out, n, f)
		return
	}
	inputs := make([]string, len(n.Inputs))
	for k, name := range n.Inputs {
		inputs[k] = name
		if s.typeOf(name) != isFloat32 {
			continue
		}
		version := full
		if s.half[i] && !c.isPinned(n, k) {
			version = half
		}
		inputs[k] = c.get(out, name, version)
	}
	outputs := slices.Clone(n.Outputs)
	var back []string // outputs to cast back to float32
	for k, name := range n.Outputs {
		if name == "" || !s.made[name] {
			continue
		}
		v := versions{half: name}
		if s.own[name] {
			v = versions{full: name, half: fresh(c.names, name, "/"+c.report.Type.String())}
			back = append(back, name)
		}
		outputs[k], s.have[name] = v[half], v
	}
	c.body(out, n, f, inputs, outputs, s.half[i])
	for _, name := range back {
		c.cast(out, s.have[name][half], name, tensor.Float32)
	}
}

// body writes the node itself, with new names, converted bodies and an updated type attribute.
func (c *halving) body(out *spliced, n *onnxwire.Node, f onnxwire.Field, inputs, outputs []string,
	inHalf bool) {
	node := c.Splice()
	in, made, typed := 0, 0, false
	retype := inHalf && onnxfile.IsONNX(n.Domain) && (n.Op == "Cast" || n.Op == "ConstantOfShape")
	for f := range c.Fields(f.Body) {
		switch {
		case f.Number == onnxwire.NodeInput:
			node.Write(onnxwire.AppendText(nil, onnxwire.NodeInput, inputs[in]))
			in++
		case f.Number == onnxwire.NodeOutput:
			node.Write(onnxwire.AppendText(nil, onnxwire.NodeOutput, outputs[made]))
			made++
		case f.Number == onnxwire.NodeAttribute && retype && c.typeAttribute(node, n, f):
			typed = true
		case f.Number == onnxwire.NodeAttribute && len(n.Bodies) > 0:
			c.attribute(node, f)
		default:
			node.Copy(f.Whole)
		}
	}
	if retype && n.Op == "ConstantOfShape" && !typed {
		zero, err := tensor.FromBytes(c.report.Type, tensor.Shape{1}, []byte{0, 0})
		c.Fail(err)
		c.writeValue(node, zero)
	}
	out.Embed(f.Number, node)
}

// typeAttribute changes the type attribute of a Cast or ConstantOfShape to float16. It returns
// false if the attribute does not change.
func (c *halving) typeAttribute(out *spliced, n *onnxwire.Node, f onnxwire.Field) bool {
	if n.Op == "ConstantOfShape" {
		value, err := c.model.File().NodeValue(c.Reader, n.Span)
		c.Fail(err)
		if value == nil || value.ElementType() != tensor.Float32 {
			return false
		}
		c.writeValue(out, c.rounded(n.Outputs[0], value))
		return true
	}
	if !slices.ContainsFunc(c.Attributes(n.Span), func(a onnxwire.Attribute) bool {
		return a.Name == "to" && a.Text == fmt.Sprint(wireFloat32) && a.Span == f.Body
	}) {
		return false
	}
	to := NodeAttribute{"to", int64(onnxfile.NumberOf(c.report.Type))}
	out.WriteMessage(onnxwire.NodeAttribute, to.message(c.rewriting))
	return true
}

// attribute writes an attribute that may contain bodies.
func (c *halving) attribute(out *spliced, f onnxwire.Field) {
	attribute := c.Splice()
	for f := range c.Fields(f.Body) {
		scope, isBody := c.scopes[f.Body.Start]
		if onnxwire.AttributeMessage.Member(f.Number) != onnxwire.GraphMessage || !isBody {
			attribute.Copy(f.Whole)
			continue
		}
		outer := c.current
		c.current = scope
		c.Enter(attribute, onnxwire.AttributeMessage, f)
		c.current = outer
	}
	out.Embed(f.Number, attribute)
}

// constant copies the Constant node n, writes it as float16, or does both. The choice depends
// on the types in which other nodes read the value of n.
func (c *halving) constant(out *spliced, n *onnxwire.Node, f onnxwire.Field) {
	s, name := c.current, n.Outputs[0]
	wanted := s.wanted[name]
	if wanted[full] != "" || wanted[half] == "" {
		out.Copy(f.Whole)
	}
	if wanted[half] == "" {
		return
	}
	value, err := c.model.File().NodeValue(c.Reader, n.Span)
	c.Fail(err)
	writeNodes(c.rewriting, out, []NewNode{{Op: "Constant",
		Outputs: []string{c.weightName(s, name, half)}, Value: c.rounded(name, value)}}, nil)
}

// initializer writes the float32 and the float16 version of an initializer, if nodes read them.
func (c *halving) initializer(out *spliced, f onnxwire.Field) bool {
	t := c.Tensor(f.Body)
	wanted := c.current.wanted[t.Name]
	if !c.current.weights[t.Name] || wanted[half] == "" {
		return false
	}
	if wanted[full] != "" {
		out.Copy(f.Whole)
	}
	value := c.folded[t.Name]
	if value == nil || c.current != c.scopes[mainGraph] {
		var err error
		value, err = c.model.File().Weight(c.Reader, &t)
		c.Fail(err)
	}
	if value = c.rounded(t.Name, value); value != nil {
		converted, err := onnxpb.Append(nil, c.weightName(c.current, t.Name, half), value)
		c.Fail(err)
		out.WriteMessage(onnxwire.GraphInitializer, converted)
	}
	return true
}

// valueInfo updates the declaration of a tensor that is now float16.
func (c *halving) valueInfo(out *spliced, f onnxwire.Field) bool {
	v := c.Value(f.Body)
	s := c.current.definer(v.Name) // a body may declare tensors that it captures
	if s == nil {
		return false
	}
	wanted := s.wanted[v.Name]
	weight := s.weights[v.Name] && wanted[half] != "" && wanted[full] == ""
	if v.Type.Kind != onnxwire.TensorKind || !weight && (!s.made[v.Name] || s.own[v.Name]) {
		return false
	}
	v.Type.Elem = onnxfile.NumberOf(c.report.Type)
	out.WriteMessage(f.Number, onnxwire.AppendValue(nil, v.Name, &v.Type))
	return true
}

// writeValue writes a node's value attribute.
func (c *halving) writeValue(out *spliced, value *tensor.Tensor) {
	if c.Err() == nil {
		out.WriteMessage(onnxwire.NodeAttribute, NodeAttribute{"value", value}.message(c.rewriting))
	}
}

// ranges contains, for each type, the largest value, the smallest number that overflows when
// rounded to the type, and the smallest positive value.
var ranges = map[tensor.ElementType]struct{ greatest, beyond, least float64 }{
	tensor.Float16:  {65504, 65520, 0x1p-24},
	tensor.BFloat16: {0x1.FEp127, 0x1.FFp127, 0x1p-133},
}

// rounded converts a weight to the lower type, and reports the values outside the type's range.
func (c *halving) rounded(name string, t *tensor.Tensor) *tensor.Tensor {
	if c.Err() != nil {
		return nil
	}
	values, err := tensor.Values[float32](t)
	c.Fail(err)
	in := ranges[c.report.Type]
	clamped, vanished := RoundedWeight{Name: name}, RoundedWeight{Name: name}
	held := make([]float32, len(values))
	for i, v := range values {
		magnitude := math.Abs(float64(v))
		switch {
		case magnitude >= in.beyond && !math.IsInf(float64(v), 0):
			clamped.Values, clamped.Extreme = clamped.Values+1, max(clamped.Extreme, magnitude)
			v = float32(math.Copysign(in.greatest, float64(v)))
		case magnitude > 0 && magnitude <= in.least/2:
			if vanished.Values == 0 || magnitude < vanished.Extreme {
				vanished.Extreme = magnitude
			}
			vanished.Values++
			if len(values) == 1 {
				v = float32(math.Copysign(in.least, float64(v)))
			}
		}
		held[i] = v
	}
	if clamped.Values > 0 {
		c.report.Clamped = append(c.report.Clamped, clamped)
	}
	switch {
	case vanished.Values == 0:
	case len(values) == 1:
		c.report.Raised = append(c.report.Raised, vanished)
	default:
		c.report.Vanished = append(c.report.Vanished, vanished)
	}
	kept, err := sets.Pack(c.report.Type, t.Shape(), held)
	c.Fail(err)
	return kept
}
