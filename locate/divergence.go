package locate

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
)

// Divergence finds where two runs of a model part. It walks over the tensors that both models
// have, by name and in the actual model's graph order, and holds each to the options' checks:
//
//   - cumulatively: each side computes with its own earlier tensors, as it does in use;
//   - with Options.Isolate also alone: each node of the actual model, or each stretch of nodes
//     between two tensors that the expected model has too, runs on the expected side's values.
//
// An engine that shows its inside ([backends.TensorReader]) is asked for the tensors; what it does
// not show, and all tensors of any other engine, are marked as outputs of the model. Either is done
// in batches that keep within Options.Memory. The verdict on the outputs is always that of the
// unmarked models.
//
// An error is a side without model or engine, a model that its engine cannot run, inputs that
// cannot be drawn, misuse of the options, or the end of ctx. A tensor that an engine cannot give
// out is no error but a note of the report.
func Divergence(ctx context.Context, actual, expected Side, inputs fixtures.Inputs, o Options) (
	*Report, error) {
	if err := actual.validate("actual"); err != nil {
		return nil, err
	}
	if err := expected.validate("expected"); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	drawn, sets, err := snapshot(inputs)
	if err != nil {
		return nil, err
	}
	w := &walk{actual: &seat{Side: actual}, expected: &seat{Side: expected}, options: o,
		inputs: drawn, sets: sets,
		report: &Report{Actual: actual.name(), Expected: expected.name()}}
	defer w.actual.close()
	defer w.expected.close()
	for _, step := range []func(context.Context) error{w.final, w.pair, w.cumulative, w.isolated} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return w.report, w.conclude()
}

// final judges the outputs of the models as they are.
func (w *walk) final(ctx context.Context) error {
	actual, err := w.actual.open(ctx, w)
	if err != nil {
		return err
	}
	expected, err := w.expected.open(ctx, w)
	if err != nil {
		return err
	}
	w.report.Actual = sideText(w.actual.Side, actual.Provenance)
	w.report.Expected = sideText(w.expected.Side, expected.Provenance)
	outputs, err := compare.Runs(actual.Outputs(), expected.Outputs(), w.options.Compare)
	if err != nil {
		return fmt.Errorf("locate: outputs: %w", err)
	}
	w.report.Verdict, w.report.MarkedVerdict = outputs.Verdict, compare.Pass
	return nil
}

// conclude draws the report's conclusions from its rows.
func (w *walk) conclude() error {
	r := w.report
	compared := 0
	for i := range r.Tensors {
		p := &r.Tensors[i]
		if p.Verdict == "" {
			continue // left out, and told in a note
		}
		compared++
		p.Growth = w.growth(p)
		if r.First == nil && p.Verdict == compare.Fail {
			r.First = p
		}
		if r.Isolated == nil && p.Own != nil && p.Own.Verdict == compare.Fail {
			r.Isolated = p
		}
	}
	if compared == 0 {
		return fmt.Errorf("locate: none of %d tensors could be compared: %s", len(r.Tensors),
			r.Notes[0])
	}
	w.actual.tell(w)
	w.expected.tell(w)
	r.Cause = r.cause(w.options.Isolate)
	if left := len(r.Tensors) - compared; left > 0 {
		r.Cause += fmt.Sprintf(" (%d of %d tensors could not be given out: see the notes)", left,
			len(r.Tensors))
	}
	return nil
}
