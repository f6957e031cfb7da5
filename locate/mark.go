package locate

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
)

// Mark returns the subject's model with the named tensors as additional outputs of declared type.
// Use it for models that are saved or passed to other tools, because ONNX's checker rejects outputs
// without a type. ([loaders.Model.Mark] leaves undeclared types to the engine.) Mark learns the
// types by running the resulting model once on the subject's inputs. It also declares the sizes of
// these tensors if the model states them or if all inputs of the model have fixed shapes.
//
//	marked, err := locate.Mark(ctx, run.Subject(), "/layer3/conv1/Conv_output_0")
//	err = marked.Save("marked.onnx")
//
// It is an error if a name is unknown or if the resulting model does not run.
func Mark(ctx context.Context, subject backends.Subject, names ...string) (*loaders.Model, error) {
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	s, err := newSide(ctx, "marked", subject, nil)
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
