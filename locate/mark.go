package locate

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/loaders"
)

// Mark returns the subject's model with the named tensors among its outputs, each declared with the
// type that it has, for a model that is kept or that other tools read: ONNX's checker refuses an
// output without a type. [loaders.Model.Mark] leaves types that the model does not declare to the
// engine; Mark learns them from one run of the marked model on the subject's inputs. Sizes are
// declared where the model declares them, or takes inputs of one shape only.
//
//	marked, err := locate.Mark(ctx, run.Subject(), "/layer3/conv1/Conv_output_0")
//	err = marked.Save("marked.onnx")
//
// An unknown name is an error, and so is a marked model that does not run.
func Mark(ctx context.Context, subject backends.Subject, names ...string) (*loaders.Model, error) {
	inputs, _, err := draw("marked", subject)
	if err != nil {
		return nil, err
	}
	s, err := newSide(ctx, "marked", subject, inputs)
	if err != nil {
		return nil, err
	}
	defer s.close()
	marked, err := s.model.Mark(names...)
	if err != nil {
		return nil, err
	}
	known, err := s.model.Declared(names...)
	if err != nil {
		return nil, err
	}
	values := untyped(names)
	open := undeclared(values, known)
	if len(open) == 0 {
		return marked, nil
	}
	sets, err := outputSets(s.run(ctx, marked, s.inputs))
	if err != nil {
		return nil, err
	}
	for _, i := range open {
		values[i] = learned(values[i], all(sets, names[i]), fixed(s.model))
	}
	return s.model.MarkAs(values...)
}
