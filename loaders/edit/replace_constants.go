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
// keep the constant. replace may modify the given values and return them.
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

// Skeleton is like [ReplaceConstants] but writes weights to w, one at a time, so it needs no second
// copy of the model and has no size limit. It calls detach with the size in bytes of each
// initializer of the graph. If detach returns true, Skeleton writes that initializer to w, whether
// replaced or not. The returned model, which is called the skeleton, refers to these weights as
// external data in a file called name. Strings stay in the skeleton.
func Skeleton(m *loaders.Model, w io.Writer, name string, detach func(bytes int) bool,
	replace func(loaders.Constant) (*tensor.Tensor, error)) (skeleton []byte, err error) {
	return rewritten(m, &replacing{model: m, replace: replace, apart: detach, to: w, name: name})
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
