package edit

import (
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// ReplaceConstants returns the model with other values in its constants. It calls replace for each
// constant, in file order; replace returns a tensor of the same element type and shape, or nil to
// keep the constant. replace must not modify the given values unless the constant is Owned.
//
// The result, including external data, is kept in memory. It is an error if the result reaches 2
// GiB, or if a constant has an element type that [tensor] lacks.
func ReplaceConstants(m *loaders.Model,
	replace func(loaders.Constant) (*tensor.Tensor, error)) (*loaders.Model, error) {
	r := replacing{model: m, replace: replace}
	data, err := rewritten(r.model, &r)
	if err != nil {
		return nil, err
	}
	return loaders.ONNXBytes(m.Name(), data), nil
}

// Constants calls visit for each constant that ReplaceConstants would replace. It keeps one
// constant in memory at a time.
func Constants(m *loaders.Model, visit func(loaders.Constant) error) error {
	r := replacing{model: m, visits: true, replace: func(c loaders.Constant) (*tensor.Tensor, error) {
		return nil, visit(c)
	}}
	_, err := rewritten(m, &r)
	return err
}

// Skeleton is like [ReplaceConstants] but returns weights separately, so it needs no second copy of
// the model and has no size limit. It calls detach with the size in bytes of each initializer of
// the graph. If detach returns true, Skeleton returns that initializer, whether replaced or not, in
// weights; in the returned model, which is called the skeleton, the initializer refers to external
// data in a file that does not exist. Strings stay in the skeleton. Use Skeleton for engines that
// accept initializers separately, such as ONNX Runtime.
//
// If w is not nil, Skeleton writes the weights to w, one at a time, instead of returning them. The
// skeleton then refers to the weights as external data in a file called name.
func Skeleton(m *loaders.Model, w io.Writer, name string, detach func(bytes int) bool,
	replace func(loaders.Constant) (*tensor.Tensor, error)) (skeleton []byte, weights []tensor.Entry,
	err error) {
	r := replacing{model: m, replace: replace, apart: detach}
	if w != nil {
		r.to = &apartFile{to: w, name: name}
	}
	skeleton, err = rewritten(m, &r)
	return skeleton, r.weights, err
}

// rewritten returns the bytes of the model with its constants replaced, or nil if r only visits the
// constants.
func rewritten(m *loaders.Model, r *replacing) ([]byte, error) {
	size, err := m.Size()
	if err != nil {
		return nil, err
	}
	for _, e := range m.File().Structure.External {
		size += max(0, e.Length)
	}
	if size > onnxfile.MostBytes && r.apart == nil && !r.visits {
		return nil, m.File().Located(fmt.Errorf("the model has %d bytes, over protobuf's limit of %d, "+
			"so no "+
			"constant can be replaced; extract a part of the model and change "+
			"that", size, onnxfile.MostBytes))
	}
	if r.uses, err = usesOf(m); err != nil {
		return nil, err
	}
	replaced, err := m.File().Rewritten(func(to *rewriting) {
		r.rewriting, to.Change = to, r.change
	})
	if err != nil || r.visits {
		return nil, m.File().Located(err)
	}
	if replaced.Len() > onnxfile.MostBytes {
		return nil, m.File().Located(fmt.Errorf("the model has %d bytes without its weights, over "+
			"protobuf's limit of %d", replaced.Len(), onnxfile.MostBytes))
	}
	data, err := replaced.Bytes()
	return data, m.File().Located(err)
}
