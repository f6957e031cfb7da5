package locate

import (
	"context"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/ginkgocontext"
	"github.com/modelparity/modelparity/internal/passing"
)

// Divergence finds where two runs diverge, given their subjects ([backends.Run.Subject]). It
// compares the tensors that both models have, in the actual model's graph order, with the checks in
// the options:
//
//   - cumulatively: each side computes from its own earlier tensors, as in a normal run;
//   - with Options.Isolate also alone: each node of the actual model, or each stretch of nodes
//     between two tensors that the expected model has too, runs on the expected side's values.
//
// Divergence reads tensors directly from engines that support it ([backends.TensorReader]). For
// other engines it marks the tensors as outputs of the model. Batches keep memory use within
// Options.Memory. The verdict on the outputs always comes from the unmarked models. Parts of models
// run in engines adapted by [backends.ForParts].
//
// Both sides run on the actual side's inputs, which are drawn again. It is an error if these inputs
// differ from either run's inputs, if a subject lacks an engine or a model (as after loading a run
// from a file), if an engine cannot run its model, or if the options are invalid. If an engine
// cannot return a tensor, that is not an error; the finding has a note instead.
//
// The search stops when ctx ends, and well before go test's timeout. It then returns both an error
// and the finding so far; see [Finding.Incomplete].
func Divergence(ctx context.Context, actual, expected backends.Subject, o Options) (
	*Finding, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := inTime(ctx)
	defer cancel()
	ctx = passing.Context(ctx)
	a, e, sets, theirs, err := pair(ctx, actual, expected)
	if err != nil {
		return nil, err
	}
	runs := &runner{actual: newSeat(a, o), expected: newSeat(e, o), options: o, sets: sets,
		theirs: theirs, progress: newTracker(o.Progress),
		found: &Finding{Actual: a.name(), Expected: e.name()}}
	defer runs.actual.close()
	defer runs.expected.close()
	defer ginkgocontext.Attach(ctx, runs.progress.String)()
	s := newSearch(runs)
	if err := s.matching.nameOutputs(); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		doing string
		do    func(context.Context) error
	}{
		{"running the models as they are", s.final},
		{"pairing their tensors", s.matching.pairTensors},
		{"comparing tensors inside", s.judge.cumulative},
		{"running nodes alone", s.settling.settle},
		{"patching in expected values", s.blaming.blame},
	} {
		runs.progress.doing(step.doing, 0)
		if err := step.do(ctx); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			return s.stopped(step.doing, context.Cause(ctx))
		}
	}
	return s.found, s.conclude()
}

// final compares the outputs of the unmarked models.
func (w *search) final(ctx context.Context) error {
	var actual, expected *backends.Run
	var wrong, alsoWrong error
	w.runs.both(func() { actual, wrong = w.runs.actual.open(ctx) }, func() {
		expected, alsoWrong = w.runs.expected.open(ctx)
	})
	if wrong != nil {
		return wrong
	}
	if alsoWrong != nil {
		return alsoWrong
	}
	w.title(actual.Provenance, expected.Provenance)
	w.time("actual", w.runs.actual.Engine, actual)
	w.time("expected", w.runs.expected.Engine, expected)
	given := w.runs.expected.names.back(expected.Outputs(), nil)
	w.runs.compareTypes(actual.Outputs(), given)
	outputs, err := compare.Runs(actual.Outputs(), given, w.runs.options.Compare)
	if err != nil {
		return fmt.Errorf("locate: outputs: %w", err)
	}
	w.found.Verdict, w.found.MarkedVerdict = outputs.Verdict, compare.Pass
	return nil
}

// time adds a side's run time to the finding.
func (w *search) time(side string, engine backends.Engine, run *backends.Run) {
	var each []time.Duration
	for _, i := range run.Iterations() {
		each = append(each, i.Runtime)
	}
	if t, known := compare.TimingOf(side, engine.GoString(), each); known {
		w.found.Timings = append(w.found.Timings, t)
	}
}

// title names the sides by model and engine. If the two names would be equal, it adds the engine
// options.
func (w *search) title(actual, expected backends.Provenance) {
	w.found.Actual = fmt.Sprintf("%s in %v", w.runs.actual.model.Name(), actual)
	w.found.Expected = fmt.Sprintf("%s in %v", w.runs.expected.model.Name(), expected)
	if w.found.Actual == w.found.Expected {
		w.found.Actual += fmt.Sprintf(", %v", w.runs.actual.Engine)
		w.found.Expected += fmt.Sprintf(", %v", w.runs.expected.Engine)
	}
}

// conclude derives the finding's conclusions from the compared tensors.
func (w *search) conclude() error {
	f := w.found
	compared := w.sum()
	if compared == 0 {
		return fmt.Errorf("locate: none of %d tensors could be compared: %s", len(f.Tensors),
			f.Notes[0])
	}
	w.tell()
	f.Cause = f.cause(w.runs.options.Isolate)
	if left := len(f.Tensors) - compared; left > 0 {
		f.Cause += fmt.Sprintf(" (%d of %d tensors could not be read: see the notes)", left,
			len(f.Tensors))
	}
	return nil
}

// stopped completes the finding of a search that was stopped while doing a step, for the reason
// why.
func (w *search) stopped(doing string, why error) (*Finding, error) {
	f := w.found
	compared := w.sum()
	w.tell()
	switch {
	case f.First != nil:
		f.Cause = f.cause(false)
	case compared == 0:
		f.Cause = "no tensor was compared yet"
	default:
		f.Cause = fmt.Sprintf("no tensor is out of tolerance among the first %d", compared)
	}
	f.Incomplete = fmt.Sprintf("stopped while %s", doing)
	if n := len(f.Tensors); n > 0 {
		f.Incomplete += fmt.Sprintf(", with %d of %d tensors compared", compared, n)
		if alone := w.alone(); w.runs.options.Isolate {
			f.Incomplete += fmt.Sprintf(" and %d nodes run alone", alone)
		}
	}
	err := fmt.Errorf("locate: %s: %w", f.Incomplete, why)
	f.Incomplete += ": " + why.Error()
	return f, err
}

// sum finds the first tensor and the first node out of tolerance, and returns the number of
// compared tensors.
func (w *search) sum() (compared int) {
	f := w.found
	for i := range f.Tensors {
		p := &f.Tensors[i]
		if p.Verdict == "" {
			continue // left out; a note says why
		}
		compared++
		p.Growth = w.pairs.growth(p)
		m := w.pairs.matched
		agree := m != nil && f.Verdict != compare.Fail // inner differences are rounding
		// A quantized weight always differs, so First must depend on the inputs.
		weight := m != nil && m.coarse() && len(w.pairs.sources[p.Tensor]) == 0
		if f.First == nil && p.Verdict == compare.Fail && !agree && !weight {
			f.First = p
		}
		if f.Isolated == nil && w.pairs.matched == nil && w.judge.wrongAlone(p) && p.Error != 0 {
			f.Isolated = p
			f.Fault = w.blaming.fault([]*Point{p}, false)
		}
	}
	return compared
}

// alone counts the nodes that ran alone.
func (w *search) alone() (n int) {
	for i := range w.found.Tensors {
		if w.found.Tensors[i].Own != nil {
			n++
		}
	}
	return n
}

// tell adds notes about both sides to the finding.
func (w *search) tell() {
	for _, seat := range []*seat{w.runs.actual, w.runs.expected} {
		seat.tell(w.pairs)
	}
	if !w.runs.options.Isolate || w.found.Isolated != nil {
		return
	}
	for _, seat := range []*seat{w.runs.actual, w.runs.expected} {
		if caution := seat.caution(); caution != "" {
			w.runs.note("no node is out of tolerance alone; %s", caution)
		}
	}
}
