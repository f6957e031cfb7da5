package edit

import (
	"cmp"
	"fmt"
	"io"
	"runtime"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// replacing copies a model and replaces its constants.
type replacing struct {
	*rewriting
	model   *loaders.Model
	replace func(loaders.Constant) (*tensor.Tensor, error)
	uses    map[string][]use
	visits  bool                 // only visit the constants
	in      holder               // while copying: what contains the current field
	apart   func(bytes int) bool // selects initializers to write to a file; nil selects none
	to      io.Writer            // the file
	name    string               // the file's name
	size    int64                // number of bytes written to the file
	garbage int                  // bytes written since the last garbage collection
}

// mostGarbage is the number of bytes of written weights after which the garbage collector is run.
const mostGarbage = 16 << 20

// write appends a weight to the file, and returns the fields of a tensor that refers to it.
func (r *replacing) write(data []byte) []byte {
	padding := (onnxfile.PageSize - r.size%onnxfile.PageSize) % onnxfile.PageSize
	for _, part := range [][]byte{make([]byte, padding), data} {
		_, err := r.to.Write(part)
		r.Fail(err)
	}
	at := r.size + padding
	r.size = at + int64(len(data))
	if r.garbage += len(data); r.garbage >= mostGarbage {
		r.garbage = 0
		runtime.GC() // otherwise, written weights would use as much memory as the model
	}
	return onnxfile.Reference(r.name, at, int64(len(data)))
}

// holder describes the node or graph that contains a constant.
type holder struct {
	name     string // name of the node's first output; "" for an initializer, which has its own
	constant bool   // whether it is a Constant node, whose numbers are a constant
	graph    bool   // whether it is the main graph
}

// change copies a field, and replaces the constants in it.
func (r *replacing) change(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
	outer := r.in
	defer func() { r.in = outer }()
	switch member := in.Member(f.Number); {
	case in == onnxwire.AttributeMessage && r.in.constant &&
		(f.Number == onnxwire.AttributeFloat || f.Number == onnxwire.AttributeFloats):
		return r.numbers(out, f)
	case member == onnxwire.OtherMessage, member == onnxwire.TrainingMessage,
		in == onnxwire.FunctionMessage && member == onnxwire.AttributeMessage,
		in == onnxwire.SparseTensorMessage && f.Number == sparseIndices:
		return false
	case member == onnxwire.TensorMessage:
		return r.tensor(out, f, r.in.graph && in == onnxwire.GraphMessage)
	case member == onnxwire.NodeMessage:
		n := r.Node(f.Body)
		r.in = holder{constant: onnxfile.IsConstant(n.Domain, n.Op)}
		if len(n.Outputs) > 0 {
			r.in.name = n.Outputs[0]
		}
	case member == onnxwire.GraphMessage:
		r.in = holder{graph: in == onnxwire.ModelMessage}
	}
	r.Enter(out, in, f)
	return true
}

// sparseIndices is the field of SparseTensorProto with the indices. Only the values of a sparse
// tensor count as a constant.
const sparseIndices protowire.Number = 2

// tensor writes a changed copy of the TensorProto in f: with other values, or with a reference to
// data that is stored separately. It returns false if nothing changes.
func (r *replacing) tensor(out *spliced, f onnxwire.Field, initializer bool) bool {
	t := r.Tensor(f.Body)
	values, err := r.model.File().Weight(r.Reader, &t)
	if err != nil {
		r.Fail(fmt.Errorf("byte %d: tensor %q: %w", f.Whole.Start, t.Name, err))
		return false
	}
	// A tensor in an attribute is named after its node, even if it has a name of its own.
	other := r.other(cmp.Or(r.in.name, t.Name), values)
	leaves := initializer && r.apart != nil && values.ElementType() != tensor.String &&
		r.apart(len(values.Bytes()))
	if r.Err() != nil || r.visits || other == nil && !t.External && !leaves {
		return false
	}
	if other == nil {
		other = values
	}
	if leaves {
		weight := r.TensorWithout(f.Body)
		weight.Write(r.write(other.Bytes()))
		out.Embed(f.Number, weight)
		return true
	}
	message, err := onnxpb.Append(nil, t.Name, other)
	r.Fail(err)
	out.WriteMessage(f.Number, message)
	return true
}

// numbers copies the value_float or value_floats of a Constant.
func (r *replacing) numbers(out *spliced, f onnxwire.Field) bool {
	data := r.Bytes(f.Body)
	values, err := tensor.FromBytes(tensor.Float32, tensor.Shape{len(data) / 4}, data)
	if err != nil {
		r.Fail(fmt.Errorf("byte %d: the numbers of constant %q: %w", f.Whole.Start, r.in.name, err))
		return false
	}
	other := r.other(r.in.name, values)
	if other == nil {
		return false
	}
	out.Copy(onnxwire.Span{Start: f.Whole.Start, End: f.Body.Start}) // keep tag and length
	out.Write(other.Bytes())
	return true
}

// other returns the replacement for a constant, or nil to keep it.
func (r *replacing) other(name string, values *tensor.Tensor) *tensor.Tensor {
	c := loaders.Constant{Name: name, Values: values}
	for _, u := range r.uses[name] {
		u.Addends = u.addends(values.Shape())
		c.Uses = append(c.Uses, u.Use)
	}
	other, err := r.replace(c)
	r.Fail(err)
	if r.Err() == nil && other != nil && (other.ElementType() != values.ElementType() ||
		!other.Shape().Equal(values.Shape())) {
		r.Fail(fmt.Errorf("constant %q is %v%v and cannot become %v%v", name,
			values.ElementType(), values.Shape(), other.ElementType(), other.Shape()))
	}
	return other
}
