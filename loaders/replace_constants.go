package loaders

import (
	"fmt"
	"io"
	"math"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
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

// SkeletonTo is [Model.Skeleton] with the weights in a file called name in the skeleton, which to
// writes. One weight is in memory at a time.
func (m *Model) SkeletonTo(to io.Writer, name string, apart func(bytes int) bool,
	replace func(Constant) (*tensor.Tensor, error)) (skeleton []byte, err error) {
	r := replacing{model: m, replace: replace, apart: apart, to: &apartFile{to: to, name: name}}
	return m.rewritten(&r)
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
			"constants cannot be replaced: extract a part of it, and change that", size, mostReweighed))
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
		return nil, m.located(fmt.Errorf("%d bytes of it are not weights of its graph, and one "+
			"message holds %d", replaced.size, mostReweighed))
	}
	data, err := replaced.bytes()
	if err != nil {
		return nil, m.located(err)
	}
	return data, nil
}
