package edit

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// replacing copies a model and replaces its constants.
type replacing struct {
	model    *loaders.Model
	source   onnxwire.Source
	replace  func(loaders.Constant) (*tensor.Tensor, error)
	uses     map[string][]use
	external map[int64]onnxwire.External // by the tensor's offset in the file
	visits   bool                        // only visit the constants
	apart    func(bytes int) bool        // selects initializers to leave out; nil selects none
	weights  []tensor.Entry              // the initializers left out
	to       *apartFile                  // if not nil, receives them instead of weights
}

// apartFile writes the file of external data to which a skeleton refers.
type apartFile struct {
	to   io.Writer
	name string
	size int64

	garbage int // bytes written since the last garbage collection
}

// mostGarbage is the number of bytes of written weights after which to collect garbage.
const mostGarbage = 16 << 20

// write appends a weight, and returns the external_data entries that refer to it.
func (a *apartFile) write(data []byte) ([][2]string, error) {
	padding := (onnxfile.PageSize - a.size%onnxfile.PageSize) % onnxfile.PageSize
	for _, part := range [][]byte{make([]byte, padding), data} {
		if _, err := a.to.Write(part); err != nil {
			return nil, err
		}
	}
	at := a.size + padding
	a.size = at + int64(len(data))
	if a.garbage += len(data); a.garbage >= mostGarbage {
		a.garbage = 0
		runtime.GC() // otherwise, written weights would use as much memory as the model
	}
	return [][2]string{{"location", a.name}, {"offset", strconv.FormatInt(at, 10)},
		{"length", strconv.Itoa(len(data))}}, nil
}

// holder describes the node or graph that contains a constant.
type holder struct {
	name     string // name of the node's first output; "" for an initializer, which has its own
	constant bool   // whether it is a Constant node, whose numbers are a constant
	graph    bool   // whether it is the main graph
}

// message copies a message that is inside the given node or outside any node.
func (r *replacing) message(span onnxwire.Span, kind onnxwire.Message, in holder) (*spliced,
	error) {
	out := r.model.File().Splice()
	err := onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		member, inside := kind.Member(f.Number), in
		inside.graph = kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph ||
			in.graph && f.Number == onnxwire.GraphInitializer
		switch {
		case kind == onnxwire.SparseTensorMessage && f.Number == sparseIndices,
			kind == onnxwire.FunctionMessage && member == onnxwire.AttributeMessage,
			member == onnxwire.TrainingMessage:
			member = onnxwire.OtherMessage
		case kind == onnxwire.AttributeMessage && in.constant &&
			(f.Number == onnxfile.AttributeFloat || f.Number == onnxfile.AttributeFloats):
			return r.numbers(out, f, in.name)
		case member == onnxwire.NodeMessage:
			n, err := onnxwire.NewReader(r.source).Node(f.Body)
			if err != nil {
				return err
			}
			if inside = (holder{constant: onnxfile.IsConstant(n.Domain, n.Op)}); len(n.Outputs) > 0 {
				inside.name = n.Outputs[0]
			}
		case member == onnxwire.GraphMessage:
			inside.name, inside.constant = "", false
		}
		switch member {
		case onnxwire.OtherMessage:
			out.Copy(f.Whole)
		case onnxwire.TensorMessage:
			return r.tensor(out, f, in, inside.graph)
		default:
			inner, err := r.message(f.Body, member, inside)
			if err != nil {
				return err
			}
			out.Embed(f.Number, inner)
		}
		return nil
	})
	return out, err
}

// sparseIndices is the field of SparseTensorProto with the indices, which are not a constant.
const sparseIndices protowire.Number = 2

// tensor copies the TensorProto in f, or leaves its data out. in describes the node that contains
// it.
func (r *replacing) tensor(out *spliced, f onnxwire.Field, in holder, initializer bool) error {
	message, err := onnxfile.ReadSpan(r.source, f.Body)
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
	name := in.name // a tensor in an attribute is called after its node, whatever its own name
	if name == "" {
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
		out.Copy(f.Whole)
		return nil
	}
	if other == nil {
		other = values
	}
	if leaves {
		where := [][2]string{{"location", "apart"}}
		if r.to == nil {
			r.weights = append(r.weights, tensor.Entry{Name: own, Tensor: other})
		} else if where, err = r.to.write(other.Bytes()); err != nil {
			return err
		}
		return r.refer(out, f.Number, own, other, where)
	}
	if message, err = onnxpb.Append(nil, own, other); err != nil {
		return err
	}
	out.Write(onnxwire.AppendMessage(nil, f.Number, message))
	return nil
}

// refer writes a tensor that refers to external data with the given entries.
func (r *replacing) refer(out *spliced, number protowire.Number, name string, t *tensor.Tensor,
	where [][2]string) error {
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
	for _, w := range where {
		entry := onnxwire.AppendText(onnxwire.AppendText(nil, 1, w[0]), 2, w[1])
		message = onnxwire.AppendMessage(message, onnxwire.TensorExternalData, entry)
	}
	message = onnxwire.AppendVarint(message, onnxwire.TensorDataLocation, onnxwire.ExternalLocation)
	out.Write(onnxwire.AppendMessage(nil, number, message))
	return nil
}

const tensorDims protowire.Number = 1

// externalTensor reads a tensor whose data is in another file.
func (r *replacing) externalTensor(message []byte, e onnxwire.External) (string, *tensor.Tensor,
	error) {
	t, err := onnxfile.TensorIn(message)
	if err != nil {
		return e.Tensor, nil, err
	}
	t.Span = e.Span
	values, err := r.model.File().ExternalWeight(t)
	return e.Tensor, values, err
}

// numbers copies the value_float or value_floats of a Constant.
func (r *replacing) numbers(out *spliced, f onnxwire.Field, name string) error {
	data, err := onnxfile.ReadSpan(r.source, f.Body)
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
		out.Copy(f.Whole)
		return nil
	}
	out.Copy(onnxwire.Span{Start: f.Whole.Start, End: f.Body.Start}) // keep tag and length
	out.Write(other.Bytes())
	return nil
}

// other returns the replacement for a constant, or nil to keep it.
func (r *replacing) other(name string, values *tensor.Tensor) (*tensor.Tensor, error) {
	c := loaders.Constant{Name: name, Values: values, Owned: true}
	for _, u := range r.uses[name] {
		c.Uses = append(c.Uses, loaders.Use{Op: u.op, Input: u.input,
			Addends: u.addends(values.Shape())})
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
