package loaders

import (
	"bytes"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/onnxpb"
)

// Constant is a tensor that a model holds: an initializer, the value of a Constant node, or a
// tensor in another node's attribute, in the graph, in the body of an If, Loop or Scan, or in a
// function.
type Constant struct {
	// Name is the initializer's, or that of the first output of the node that holds the tensor.
	Name string
	// Values are the values of a sparse tensor without its zeros.
	Values *tensor.Tensor
	// Owned says that Values were read for this constant alone, so that they may be written to and
	// returned.
	Owned bool
	// Uses are the nodes that read a tensor of this name, in any graph or function of the model.
	Uses []Use
}

// Use is one input of a node.
type Use struct {
	Op    string
	Input int
	// Addends is how many products each element of the node's output adds up, where a Conv,
	// ConvTranspose, Gemm, MatMul, LSTM, GRU or RNN takes the constant for its weights; otherwise 0.
	Addends int
}

// mostReweighed bounds the models of ReplaceConstants, whose result is one protobuf message.
const mostReweighed = math.MaxInt32

// ReplaceConstants returns the model with other values in its constants. replace gets each of
// them, in the order of the file, and returns a tensor of the same element type and shape, or nil
// to keep the constant. It must not write to the values that it is given, unless they are Owned.
//
// The result is in memory, with external data taken in; a model of 2 GiB or more with it is an
// error, and so is a constant of an element type that [tensor] does not have.
func (m *Model) ReplaceConstants(replace func(Constant) (*tensor.Tensor, error)) (*Model, error) {
	r := replacing{model: m, replace: replace}
	data, err := r.model.rewritten(&r)
	if err != nil {
		return nil, err
	}
	return ONNXBytes(m.name, data), nil
}

// Constants visits what ReplaceConstants would replace, one constant in memory at a time.
func (m *Model) Constants(visit func(Constant) error) error {
	r := replacing{model: m, visits: true, replace: func(c Constant) (*tensor.Tensor, error) {
		return nil, visit(c)
	}}
	_, err := m.rewritten(&r)
	return err
}

// Skeleton is [Model.ReplaceConstants] without the weights: the initializers of the graph that
// apart takes by their size in bytes, strings excepted, are returned beside it, replaced or not,
// and the skeleton refers to them as external data in a file that does not exist. So there is no
// second copy of the model, and no bound on its size. The skeleton is the bytes of a model for
// engines that take the initializers themselves, as ONNX Runtime does.
func (m *Model) Skeleton(apart func(bytes int) bool,
	replace func(Constant) (*tensor.Tensor, error)) (skeleton []byte, weights []tensor.Entry,
	err error) {
	r := replacing{model: m, replace: replace, apart: apart}
	skeleton, err = m.rewritten(&r)
	return skeleton, r.weights, err
}

// rewritten is the bytes of the model with its constants replaced; none where they are only
// visited.
func (m *Model) rewritten(r *replacing) ([]byte, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(err)
	}
	defer done()
	r.source, r.uses, r.external = source, map[string][]use{}, map[int64]onnxwire.External{}
	size := source.Size()
	for _, e := range m.structure.External {
		r.external[e.Span.Start] = e
		size += max(0, e.Length)
	}
	if size > mostReweighed && r.apart == nil && !r.visits {
		return nil, m.located(fmt.Errorf("its %d bytes are more than one message holds (%d), so its "+
			"constants cannot be replaced", size, mostReweighed))
	}
	whole := onnxwire.Span{End: source.Size()}
	if err := r.findUses(whole, onnxwire.ModelMessage); err != nil {
		return nil, m.located(err)
	}
	replaced, err := r.message(whole, onnxwire.ModelMessage, holder{})
	if err != nil {
		return nil, m.located(err)
	}
	if r.visits {
		return nil, nil
	}
	if replaced.size > mostReweighed {
		return nil, m.located(fmt.Errorf("%d bytes of it are no weights of its graph, more than one "+
			"message holds (%d)", replaced.size, mostReweighed))
	}
	data, err := replaced.bytes()
	if err != nil {
		return nil, m.located(err)
	}
	return data, nil
}

// replacing copies a model but for its constants.
type replacing struct {
	model    *Model
	source   onnxwire.Source
	replace  func(Constant) (*tensor.Tensor, error)
	uses     map[string][]use
	external map[int64]onnxwire.External // by the start of the tensor
	visits   bool                        // nothing is made of it
	apart    func(bytes int) bool        // initializers that are left out; nil is none
	weights  []tensor.Entry              // those
}

// use is a Use whose number of addends waits for the constant's shape.
type use struct {
	op         string
	input      int
	transposed bool // Gemm's transA or transB
}

// findUses notes which nodes read which names.
func (r *replacing) findUses(span onnxwire.Span, kind onnxwire.Message) error {
	return onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		member := kind.Member(f.Number)
		switch member {
		case onnxwire.NodeMessage:
			n, err := onnxwire.NewReader(r.source).Node(f.Body)
			if err != nil {
				return err
			}
			if err := r.noteUses(&n); err != nil {
				return err
			}
		case onnxwire.OtherMessage, onnxwire.TensorMessage, onnxwire.SparseTensorMessage:
			return nil
		}
		return r.findUses(f.Body, member)
	})
}

func (r *replacing) noteUses(n *onnxwire.Node) error {
	transposed := map[string]bool{}
	if n.Op == "Gemm" {
		attributes, err := onnxwire.Attributes(r.source, n.Span)
		if err != nil {
			return err
		}
		for _, a := range attributes {
			transposed[a.Name] = a.Text != "0"
		}
	}
	for i, name := range n.Inputs {
		if name != "" {
			r.uses[name] = append(r.uses[name], use{n.Op, i,
				i == 0 && transposed["transA"] || i == 1 && transposed["transB"]})
		}
	}
	return nil
}

// holder is the node that constants stand in.
type holder struct {
	name     string // of its first output
	constant bool   // a Constant, whose numbers are a constant too; elsewhere they are settings
	graph    bool   // in none: an initializer of the model's own graph, and not of a body
}

// message copies a message that stands in a node, or outside of any.
func (r *replacing) message(span onnxwire.Span, kind onnxwire.Message, in holder) (*spliced,
	error) {
	out := &spliced{from: r.model.content}
	err := onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		member, inside := kind.Member(f.Number), in
		inside.graph = kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph ||
			in.graph && f.Number == onnxwire.GraphInitializer
		switch {
		case kind == onnxwire.SparseTensorMessage && f.Number == sparseIndices:
			member = onnxwire.OtherMessage
		case kind == onnxwire.AttributeMessage && in.constant &&
			(f.Number == attributeFloat || f.Number == attributeFloats):
			return r.numbers(out, f, in.name)
		case member == onnxwire.NodeMessage:
			n, err := onnxwire.NewReader(r.source).Node(f.Body)
			if err != nil {
				return err
			}
			if inside = (holder{constant: n.Op == "Constant"}); len(n.Outputs) > 0 {
				inside.name = n.Outputs[0]
			}
		}
		switch member {
		case onnxwire.OtherMessage:
			out.copy(f.Whole)
		case onnxwire.TensorMessage:
			return r.tensor(out, f, in.name, inside.graph)
		default:
			inner, err := r.message(f.Body, member, inside)
			if err != nil {
				return err
			}
			out.embed(f.Number, inner)
		}
		return nil
	})
	return out, err
}

// Fields that the scanner does not tell from others: numbers of an AttributeProto, and the indices
// of a SparseTensorProto.
const (
	attributeFloat  protowire.Number = 2
	attributeFloats protowire.Number = 7
	sparseIndices   protowire.Number = 2
)

// tensor copies the TensorProto in f, which is called name where it has no name of its own, or
// leaves its data out.
func (r *replacing) tensor(out *spliced, f onnxwire.Field, name string, initializer bool) error {
	message, err := r.read(f.Body)
	if err != nil {
		return err
	}
	external, outside := r.external[f.Body.Start]
	var own string
	var values *tensor.Tensor
	if outside {
		own, values, err = r.externalTensor(message, external)
	} else {
		own, values, err = onnxpb.Tensor(message)
	}
	if err != nil {
		return fmt.Errorf("byte %d: tensor %q: %w", f.Whole.Start, own, err)
	}
	if own != "" {
		name = own
	}
	other, err := r.other(name, values)
	if err != nil {
		return err
	}
	if r.visits {
		return nil
	}
	leaves := initializer && r.apart != nil && values.ElementType() != tensor.String &&
		r.apart(len(values.Bytes()))
	if other == nil && !outside && !leaves {
		out.copy(f.Whole)
		return nil
	}
	if other == nil {
		other = values
	}
	if leaves {
		r.weights = append(r.weights, tensor.Entry{Name: own, Tensor: other})
		return r.refer(out, f.Number, own, other)
	}
	if message, err = onnxpb.Append(nil, own, other); err != nil {
		return err
	}
	out.write(onnxwire.AppendMessage(nil, f.Number, message))
	return nil
}

// refer writes a tensor as external data in a file that does not exist.
func (r *replacing) refer(out *spliced, number protowire.Number, name string,
	t *tensor.Tensor) error {
	empty, err := tensor.FromBytes(t.ElementType(), tensor.Shape{0}, nil)
	if err != nil {
		return err
	}
	message := []byte(nil)
	for _, d := range t.Shape() {
		message = onnxwire.AppendVarint(message, tensorDims, uint64(d))
	}
	typed, err := onnxpb.Append(nil, name, empty)
	if err != nil {
		return err
	}
	err = onnxwire.Walk(bytes.NewReader(typed), onnxwire.Span{End: int64(len(typed))},
		func(f onnxwire.Field) error {
			if f.Number != tensorDims && f.Number != onnxwire.TensorRawData {
				message = append(message, typed[f.Whole.Start:f.Whole.End]...)
			}
			return nil
		})
	if err != nil {
		return err
	}
	entry := onnxwire.AppendText(onnxwire.AppendText(nil, 1, "location"), 2, "apart")
	message = onnxwire.AppendMessage(message, onnxwire.TensorExternalData, entry)
	message = onnxwire.AppendVarint(message, onnxwire.TensorDataLocation, onnxwire.ExternalLocation)
	out.write(onnxwire.AppendMessage(nil, number, message))
	return nil
}

const tensorDims protowire.Number = 1

// externalTensor reads a tensor whose data is in another file.
func (r *replacing) externalTensor(message []byte, e onnxwire.External) (string, *tensor.Tensor,
	error) {
	graph := onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, message)
	structure, err := scan(bytes.NewReader(onnxwire.AppendMessage(nil, onnxwire.ModelGraph, graph)))
	if err != nil {
		return e.Tensor, nil, err
	}
	t := structure.Graph.Initializers[0]
	t.Span = e.Span
	values, err := r.model.externalWeight(&t)
	return e.Tensor, values, err
}

// numbers copies the value_float or value_floats of a Constant.
func (r *replacing) numbers(out *spliced, f onnxwire.Field, name string) error {
	data, err := r.read(f.Body)
	if err != nil {
		return err
	}
	values, err := tensor.FromBytes(tensor.Float32, tensor.Shape{len(data) / 4}, data)
	if err != nil {
		return fmt.Errorf("byte %d: the numbers of constant %q: %w", f.Whole.Start, name, err)
	}
	other, err := r.other(name, values)
	if err != nil {
		return err
	}
	if other == nil {
		out.copy(f.Whole)
		return nil
	}
	out.copy(onnxwire.Span{Start: f.Whole.Start, End: f.Body.Start}) // tag and length stay
	out.write(other.Bytes())
	return nil
}

// other is what replaces the constant, or nil.
func (r *replacing) other(name string, values *tensor.Tensor) (*tensor.Tensor, error) {
	c := Constant{Name: name, Values: values, Owned: true}
	for _, u := range r.uses[name] {
		c.Uses = append(c.Uses, Use{u.op, u.input, u.addends(values.Shape())})
	}
	other, err := r.replace(c)
	if err != nil || other == nil {
		return nil, err
	}
	if other.ElementType() != values.ElementType() || !other.Shape().Equal(values.Shape()) {
		return nil, fmt.Errorf("constant %q is %v%v and cannot become %v%v", name,
			values.ElementType(), values.Shape(), other.ElementType(), other.Shape())
	}
	return other, nil
}

func (r *replacing) read(span onnxwire.Span) ([]byte, error) {
	data := make([]byte, span.Len())
	if n, err := r.source.ReadAt(data, span.Start); n < len(data) {
		return nil, err
	}
	return data, nil
}

// addends is how many products with weights of that shape one element of the output adds up.
func (u use) addends(shape tensor.Shape) int {
	rank := len(shape)
	rest := func(from int) int { // a product that the tensor's own size bounds
		n := 1
		for _, d := range shape[from:] {
			n *= d
		}
		return n
	}
	switch {
	case u.op == "Conv" && u.input == 1 && rank > 1:
		return rest(1)
	case u.op == "ConvTranspose" && u.input == 1 && rank > 2:
		return shape[0] * rest(2)
	case u.op == "Gemm" && u.input < 2 && rank == 2:
		if (u.input == 0) != u.transposed {
			return shape[1]
		}
		return shape[0]
	case u.op == "MatMul" && u.input == 0 && rank > 0:
		return shape[rank-1]
	case u.op == "MatMul" && u.input == 1 && rank > 0:
		return shape[max(0, rank-2)]
	case (u.op == "LSTM" || u.op == "GRU" || u.op == "RNN") && (u.input == 1 || u.input == 2) &&
		rank == 3:
		return shape[2]
	}
	return 0
}
