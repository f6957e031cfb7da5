package bound

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Node is a node of a model, with the inputs that were recorded in a run.
type Node struct {
	Op, Domain string
	Opset      int64 // the version of ONNX's own operators
	Attributes onnxwire.Attributes
	Inputs     []Input
}

// Input is an input of a node.
type Input struct {
	Tensor *tensor.Tensor // nil if the node omits the input
	// Rounded is true if the engine may have computed with a more precise value than Tensor, for
	// example with a float32 that it returned as float16.
	Rounded bool
}

// Read returns the graph's node with the given index, without its inputs.
func Read(m *loaders.Model, index int) (Node, error) {
	if err := m.Load(); err != nil {
		return Node{}, err
	}
	n := Node{Opset: m.File().Opset()}
	err := m.File().EachNode(func(i int, wire *onnxwire.Node, r *onnxwire.Reader) {
		if i == index {
			n.Op, n.Domain, n.Attributes = wire.Op, wire.Domain, r.AttributesByName(wire.Span)
		}
	})
	return n, err
}

// settings returns the elements of an integer input that configures the operator, such as axes.
func (n *Node) settings(input int) ([]int, bool) {
	if input >= len(n.Inputs) || n.Inputs[input].Tensor == nil {
		return nil, false
	}
	t := n.Inputs[input].Tensor
	list := make([]int, t.Len())
	for i := range list {
		list[i] = int(t.Float64At(i))
	}
	return list, true
}

// operand is an input converted to float64, with the error that an engine may make when it stores
// the input.
type operand struct {
	shape    []int
	narrow   []float32 // the values; a float32 tensor's are not copied
	wide     []float64 // the values of a float64 tensor, else nil
	relative float64
	least    float64 // smaller magnitudes may have become zero
	rounds   bool    // whether any element may have an error
}

func (o *operand) count() int { return len(o.narrow) + len(o.wide) }

func (o *operand) value(i int) float64 {
	if o.wide != nil {
		return o.wide[i]
	}
	return float64(o.narrow[i])
}

// at returns element i with its error bound.
func (o *operand) at(i int) number {
	v := o.value(i)
	if !o.rounds {
		return number{v: v}
	}
	e := float64(o.relative * math.Abs(v))
	if math.Abs(v) < o.least {
		e = math.Abs(v)
	}
	return number{v, e}
}

// operands converts the first inputs of the node; count is their number. An omitted input becomes
// nil.
func (n *Node) operands(count int, a Arithmetic) ([]*operand, error) {
	list := make([]*operand, count)
	for i := range list {
		var err error
		if list[i], err = n.operand(i, a); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// operand converts an input. It returns nil if the node omits the input.
func (n *Node) operand(input int, a Arithmetic) (*operand, error) {
	if input >= len(n.Inputs) || n.Inputs[input].Tensor == nil {
		return nil, nil
	}
	t := n.Inputs[input].Tensor
	elem := t.ElementType()
	if !elem.IsFloat() || elem.Bits() < 16 {
		return nil, &Unknown{fmt.Sprintf("%s of %v", n.Op, elem)}
	}
	o := &operand{shape: t.Shape()}
	var err error
	if elem == tensor.Float64 {
		o.wide, err = tensor.Values[float64](t)
	} else if t, err = t.Convert(tensor.Float32); err == nil {
		o.narrow, err = tensor.Values[float32](t)
	}
	if err != nil {
		return nil, err
	}
	f, sums := formatOf(elem), formatOf(a.Sums)
	if n.Inputs[input].Rounded && elem.Bits() == 16 {
		o.relative = f.u
	}
	if f.u < max(a.Operand, sums.u) {
		o.relative += max(a.Operand, sums.u)
	}
	if elem.Bits() > 16 || elem == tensor.BFloat16 || a.Sums == tensor.Float16 {
		o.least = max(sums.least, 0x1p-1022)
	}
	o.rounds = o.relative > 0
	for i := range o.count() {
		if v := o.value(i); v != 0 && math.Abs(v) < o.least {
			o.rounds = true
			break
		}
	}
	return o, nil
}

// mismatch returns the error for two inputs with incompatible shapes.
func (n *Node) mismatch(x, y []int) error {
	return fmt.Errorf("%s: input shapes %v and %v do not match", n.Op, x, y)
}

// Unknown is the error for a node that this package cannot compute.
type Unknown struct{ what string }

func (u *Unknown) Error() string { return "modelparity cannot compute " + u.what + " in float64" }
