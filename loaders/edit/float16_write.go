package edit

import (
	"errors"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// change writes the replacement of a field. It returns false if the field does not change.
func (c *halving) change(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
	switch {
	case in != onnxwire.GraphMessage:
		return false, nil
	case f.Number == onnxwire.GraphNode:
		n, err := c.Reader.Node(f.Body)
		if err != nil {
			return false, err
		}
		i := c.current.nodes
		c.current.nodes++
		return true, c.node(out, i, &n, f)
	case f.Number == onnxwire.GraphInitializer:
		return c.initializer(out, f)
	case f.Number == onnxwire.GraphValueInfo:
		return c.valueInfo(out, f)
	}
	return false, nil
}

// get returns the name that a node uses to read the float32 or the float16 version of a tensor. If
// that version does not exist yet, get adds a Cast.
func (c *halving) get(out *spliced, name string, version int) (string, error) {
	definer := c.current.definer(name)
	had := name // the name of the version to cast from
	for s := c.current; s != nil; s = s.outer {
		if got := s.have[name][version]; got != "" {
			return got, nil
		}
		if got := s.have[name][1-version]; got != "" {
			had = got
		}
		if s == definer {
			if w := s.wanted[name]; s.weights[name] && w[version] != "" {
				return c.weightName(s, name, version), nil
			}
			break
		}
	}
	if definer != nil && definer.have[name] == (versions{}) && version == full {
		return name, nil // an input, or computed in float32
	}
	to := tensor.Float32
	if version == half {
		to = c.report.Type
	}
	cast := c.fresh(name, "/"+to.String())
	v := c.current.have[name]
	v[version] = cast
	if v[1-version] == "" {
		v[1-version] = had
	}
	c.current.have[name] = v
	return cast, c.cast(out, had, cast, to)
}

func (c *halving) cast(out *spliced, from, to string, elem tensor.ElementType) error {
	c.report.Casts++
	return writeNodes(out, []NewNode{{Op: "Cast", Inputs: []string{from}, Outputs: []string{to},
		To: elem}}, nil)
}

// weightName returns the name of a version of a weight. It is the original name, or has a suffix if
// the version is float16 and the float32 version is needed too.
func (c *halving) weightName(s *halfScope, name string, version int) string {
	if v := s.have[name]; v[version] != "" {
		return v[version]
	}
	v := s.wanted[name]
	if v[full] != "" && v[half] != "" {
		v[half] = c.freshHalf(name)
	}
	s.have[name] = v
	return v[version]
}

// node writes a node that reads and returns the planned versions of tensors.
func (c *halving) node(out *spliced, i int, n *onnxwire.Node, f onnxwire.Field) error {
	s := c.current
	if onnxfile.IsConstant(n.Domain, n.Op) && s.weights[n.Outputs[0]] {
		return c.constant(out, n, f)
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
		var err error
		if inputs[k], err = c.get(out, name, version); err != nil {
			return err
		}
	}
	outputs := make([]string, len(n.Outputs))
	copy(outputs, n.Outputs)
	var back []string // outputs to cast back to float32
	for k, name := range n.Outputs {
		if name == "" || !s.made[name] {
			continue
		}
		v := versions{half: name}
		if s.own[name] {
			v = versions{full: name, half: c.freshHalf(name)}
			back = append(back, name)
		}
		outputs[k], s.have[name] = v[half], v
	}
	if err := c.body(out, n, f, inputs, outputs, s.half[i]); err != nil {
		return err
	}
	for _, name := range back {
		if err := c.cast(out, s.have[name][half], name, tensor.Float32); err != nil {
			return err
		}
	}
	return nil
}

// body writes the node itself, with new names, converted bodies and an updated type attribute.
func (c *halving) body(out *spliced, n *onnxwire.Node, f onnxwire.Field, inputs, outputs []string,
	inHalf bool) error {
	node := c.Splice()
	in, made, valued := 0, 0, false
	err := onnxwire.Walk(c.Source, f.Body, func(f onnxwire.Field) error {
		switch {
		case f.Number == nodeInput:
			node.Write(onnxwire.AppendText(nil, nodeInput, inputs[in]))
			in++
		case f.Number == onnxwire.NodeOutput:
			node.Write(onnxwire.AppendText(nil, onnxwire.NodeOutput, outputs[made]))
			made++
		case f.Number == nodeAttribute && inHalf && onnxfile.IsONNX(n.Domain) &&
			(n.Op == "Cast" || n.Op == "ConstantOfShape"):
			written, err := c.typeAttribute(node, n, f)
			valued = valued || written
			if err != nil || written {
				return err
			}
			node.Copy(f.Whole)
		case f.Number == nodeAttribute && len(n.Bodies) > 0:
			return c.attribute(node, f)
		default:
			node.Copy(f.Whole)
		}
		return nil
	})
	if err == nil && inHalf && n.Op == "ConstantOfShape" && !valued {
		zero, zeroErr := tensor.FromBytes(c.report.Type, tensor.Shape{1}, []byte{0, 0})
		if zeroErr != nil {
			return zeroErr
		}
		err = writeValue(node, zero)
	}
	if err != nil {
		return err
	}
	out.Embed(f.Number, node)
	return nil
}

// typeAttribute changes the type attribute of a Cast or ConstantOfShape to float16.
func (c *halving) typeAttribute(out *spliced, n *onnxwire.Node, f onnxwire.Field) (bool, error) {
	if n.Op == "ConstantOfShape" {
		value, err := c.model.File().NodeValue(c.Source, n.Span)
		if err != nil || value == nil || value.ElementType() != tensor.Float32 {
			return false, err
		}
		if value, err = c.rounded(n.Outputs[0], value); err != nil {
			return false, err
		}
		return true, writeValue(out, value)
	}
	message, err := onnxfile.ReadSpan(c.Source, f.Body)
	if err != nil {
		return false, err
	}
	if attributes, err := c.Reader.Attributes(n.Span); err != nil ||
		!slices.ContainsFunc(attributes, func(a onnxwire.Attribute) bool {
			return a.Name == "to" && a.Span == f.Body
		}) {
		return false, err
	}
	changed := onnxwire.SetInteger(message, onnxfile.AttributeInt, func(old uint64) uint64 {
		if old == wireFloat32 {
			return uint64(onnxfile.NumberOf(c.report.Type))
		}
		return old
	})
	out.Write(onnxwire.AppendMessage(nil, nodeAttribute, changed))
	return true, nil
}

// attribute writes an attribute that may contain bodies.
func (c *halving) attribute(out *spliced, f onnxwire.Field) error {
	attribute := c.Splice()
	err := onnxwire.Walk(c.Source, f.Body, func(f onnxwire.Field) error {
		scope, isBody := c.scopes[f.Body.Start]
		if onnxwire.AttributeMessage.Member(f.Number) != onnxwire.GraphMessage || !isBody {
			attribute.Copy(f.Whole)
			return nil
		}
		outer := c.current
		c.current = scope
		defer func() { c.current = outer }()
		return c.Enter(attribute, onnxwire.AttributeMessage, f)
	})
	if err != nil {
		return err
	}
	out.Embed(f.Number, attribute)
	return nil
}

// constant writes a Constant node for each version, float32 or float16, that other nodes read.
func (c *halving) constant(out *spliced, n *onnxwire.Node, f onnxwire.Field) error {
	s, name := c.current, n.Outputs[0]
	wanted := s.wanted[name]
	if wanted[full] != "" || wanted[half] == "" {
		out.Copy(f.Whole)
	}
	if wanted[half] == "" {
		return nil
	}
	value, err := c.model.File().NodeValue(c.Source, n.Span)
	if err != nil {
		return err
	}
	if value, err = c.rounded(name, value); err != nil {
		return err
	}
	return writeNodes(out, []NewNode{{Op: "Constant", Outputs: []string{c.weightName(s, name, half)},
		Value: value}}, nil)
}

// initializer writes an initializer for each version that nodes read.
func (c *halving) initializer(out *spliced, f onnxwire.Field) (bool, error) {
	message, err := onnxfile.ReadSpan(c.Source, f.Body)
	if err != nil {
		return false, err
	}
	t, err := onnxfile.TensorIn(message)
	if err != nil {
		return false, err
	}
	wanted := c.current.wanted[t.Name]
	if !c.current.weights[t.Name] || wanted[half] == "" {
		return false, nil
	}
	if wanted[full] != "" {
		out.Copy(f.Whole)
	}
	t.Span = f.Body
	value := c.folded[t.Name]
	if value == nil || c.current != c.scopes[mainGraph] {
		value, err = c.model.File().Weight(c.Source, t)
	}
	if err == nil {
		value, err = c.rounded(t.Name, value)
	}
	if err != nil {
		return false, err
	}
	converted, err := onnxpb.Append(nil, c.weightName(c.current, t.Name, half), value)
	if err != nil {
		return false, err
	}
	out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, converted))
	return true, nil
}

// valueInfo updates the declaration of a tensor that is now float16.
func (c *halving) valueInfo(out *spliced, f onnxwire.Field) (bool, error) {
	v, err := c.Reader.Value(f.Body)
	if err != nil {
		return false, err
	}
	s := c.current.definer(v.Name) // a body may declare tensors that it captures
	if s == nil {
		return false, nil
	}
	wanted := s.wanted[v.Name]
	weight := s.weights[v.Name] && wanted[half] != "" && wanted[full] == ""
	if v.Type.Kind != onnxwire.TensorKind || !weight && (!s.made[v.Name] || s.own[v.Name]) {
		return false, nil
	}
	v.Type.Elem = onnxfile.NumberOf(c.report.Type)
	out.Write(onnxwire.AppendMessage(nil, f.Number, onnxwire.AppendValue(nil, v.Name, &v.Type)))
	return true, nil
}

// writeValue writes a node's value attribute.
func writeValue(out *spliced, value *tensor.Tensor) error {
	attribute, err := valueAttribute(value)
	out.Write(onnxwire.AppendMessage(nil, nodeAttribute, attribute))
	return err
}

// ranges holds, for each type, the largest value, the smallest number that overflows when rounded
// to the type, and the smallest positive value.
var ranges = map[tensor.ElementType]struct{ greatest, beyond, least float64 }{
	tensor.Float16:  {65504, 65520, 0x1p-24},
	tensor.BFloat16: {0x1.FEp127, 0x1.FFp127, 0x1p-133},
}

// rounded converts a weight to the lower type, and reports the values outside the type's range.
func (c *halving) rounded(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
	values, err := tensor.Values[float32](t)
	if err != nil {
		return nil, err
	}
	if values == nil && t.Len() > 0 {
		return nil, errors.New("the values of " + name + " cannot be read")
	}
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
	if vanished.Values > 0 {
		c.report.Vanished = append(c.report.Vanished, vanished)
	}
	kept, err := tensor.New(t.Shape(), held)
	if err != nil {
		return nil, err
	}
	return kept.Convert(c.report.Type)
}
