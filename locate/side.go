package locate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// side is one of the two compared sides, actual or expected: a subject, and an engine that opens
// the subject's model and parts of that model.
type side struct {
	backends.Subject
	label  string // names the side in messages, as in "actual"
	model  *loaders.Model
	nodes  []loaders.Node  // of the model
	starts []loaders.Value // the model's inputs
	ends   []loaders.Value // the model's outputs
	parts  backends.Engine
	sets   []*tensor.Set   // the inputs of both sides, under this model's names
	inputs fixtures.Inputs // the same
	forget func()          // frees what the parts share

	inside  backends.Backend // opened by open; nil if tensors have to be marked
	outputs []*tensor.Set    // outputs of the engine under test, under this side's names
	kept    *kept            // what inside returned or, if inside is nil, what marked models returned
}

// newSide creates a side for a subject. label names the side in error messages, as in "the actual
// side". sets contains the inputs for all runs of the side. If sets is nil, newSide draws the
// subject's inputs once, and returns an error if the subject has already run on different inputs.
// The caller must close the side.
func newSide(ctx context.Context, label string, s backends.Subject, sets []*tensor.Set) (
	*side, error) {
	err := s.Repeatable()
	if err == nil && sets == nil {
		sets, err = s.Draw()
	}
	if err != nil {
		return nil, fmt.Errorf("locate: the %s side: %w", label, err)
	}
	model, ok := s.Model.(*loaders.Model)
	switch {
	case !ok:
		return nil, fmt.Errorf("locate: the %s side: nodes can be read only from ONNX models, got %s; "+
			"use the original ONNX model", label, backends.Described(s.Model))
	case model == nil:
		return nil, fmt.Errorf("locate: the %s side has no model", label)
	}
	model, err = edit.Sorted(model) // converters to float16 leave Casts at the graph's end
	if err != nil {
		return nil, fmt.Errorf("locate: the %s side: %w", label, err)
	}
	nodes, wrongNodes := model.Nodes()
	starts, wrongInputs := model.Inputs()
	ends, wrongOutputs := model.Outputs()
	if err := cmp.Or(wrongNodes, wrongInputs, wrongOutputs); err != nil {
		return nil, fmt.Errorf("locate: the %s side: %w", label, err)
	}
	s.Model = model
	inputs := fixtures.Of(sets...)
	parts, forget, err := backends.ForParts(ctx, s.Engine, model, inputs)
	if err != nil {
		return nil, fmt.Errorf("locate: the %s side: %s in %v: %w", label, model.Name(), s.Engine, err)
	}
	return &side{Subject: s, label: label, model: model, nodes: nodes, starts: starts, ends: ends,
		parts: parts, sets: sets, inputs: inputs, forget: forget}, nil
}

func (s *side) close() {
	if s.inside != nil {
		s.inside.Close()
	}
	s.forget()
}

// name describes the side for messages, as in "net.onnx in tensorrt FP16".
func (s *side) name() string { return fmt.Sprintf("%s in %v", s.model.Name(), s.Engine) }

// run opens an engine for the model m, runs the model once, and closes the engine.
func (s *side) run(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
	*backends.Run, error) {
	run, err := backends.RunIn(passing.Context(ctx), s.parts, m, in)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	return run, nil
}

// same returns an error if the subject has run on inputs that differ from the given ones.
func same(label string, s backends.Subject, inputs []*tensor.Set) error {
	if sum := inputsum.Of(inputs); s.InputsSHA256 != "" && s.InputsSHA256 != sum {
		return fmt.Errorf("locate: the two sides ran on different inputs: sha256 %.12s, but %.12s on "+
			"the %s side; run both on the same inputs", sum, s.InputsSHA256, label)
	}
	return nil
}

// pair creates the two sides of a comparison. Both sides get the actual subject's inputs. The
// expected side's inputs are renamed and converted to the floating-point types of its own model.
func pair(ctx context.Context, actual, expected backends.Subject) (a, e *side, err error) {
	if a, err = newSide(ctx, "actual", actual, nil); err != nil {
		return nil, nil, err
	}
	if e, err = a.other(ctx, "expected", expected); err != nil {
		a.close()
		return nil, nil, err
	}
	return a, e, nil
}

// other creates a second side, which runs on the inputs of s. The second side uses the names and
// the floating-point types of its own inputs.
func (s *side) other(ctx context.Context, label string, of backends.Subject) (_ *side, err error) {
	if of.Inputs, err = s.adapted(of); err != nil {
		return nil, err
	}
	theirs, err := backends.Subject{Inputs: of.Inputs}.Draw()
	if err == nil {
		err = same(label, of, theirs)
	}
	if err != nil {
		return nil, err
	}
	return newSide(ctx, label, of, theirs)
}

// adapted returns the side's inputs under the names that they have in the expected model, and with
// the floating-point types that it declares.
func (s *side) adapted(expected backends.Subject) (fixtures.Inputs, error) {
	model, _ := expected.Model.(*loaders.Model)
	if model == nil {
		return s.inputs, nil // newSide reports the error
	}
	theirs, err := model.Inputs()
	if err != nil {
		return s.inputs, err
	}
	n := &namesakes{of: map[string]string{}, outputs: loaders.Names(theirs)}
	for name, other := range names.Pairs(nil, true, loaders.Names(s.starts), n.outputs) {
		n.of[other] = name
	}
	return fixtures.Of(n.back(s.sets, nil)...).Cast(model), nil
}

// withDropouts returns the model with the results of all Dropouts that may be in training mode as
// additional outputs. ONNX Runtime removes such a Dropout from a model, but not if its result is an
// output, or if the node runs alone.
func (s *side) withDropouts() (*loaders.Model, error) {
	var names []string
	for i := range s.nodes {
		if n := &s.nodes[i]; n.Op == "Dropout" && len(n.Inputs) > 2 {
			names = append(names, n.Outputs[0])
		}
	}
	return s.model.Mark(names...)
}
