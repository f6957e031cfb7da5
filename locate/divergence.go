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

// Divergence finds where two runs part, given their subjects ([backends.Run.Subject]). It looks at
// the tensors that both models have, by name and in the actual model's graph order, and holds each
// to the options' checks:
//
//   - cumulatively: each side computes with its own earlier tensors, as it does in use;
//   - with Options.Isolate also alone: each node of the actual model, or each stretch of nodes
//     between two tensors that the expected model has too, runs on the expected side's values.
//
// An engine that shows its inside ([backends.TensorReader]) is asked for the tensors; what it does
// not show, and all tensors of any other engine, are marked as outputs of the model. Either is done
// in batches that keep within Options.Memory. The verdict on the outputs is always that of the
// unmarked models. Parts are opened as [backends.ForParts] fits the engines to them.
//
// Both sides run on the actual side's inputs, which are drawn again. Inputs that differ from those
// of either run are an error, and so are a subject without engine or model, such as that of a run
// from a file, a model that its engine cannot run, and misuse of the options. A tensor that an
// engine cannot give out is not an error but a note of the finding.
//
// The search ends with ctx, and well before go test would end the process. It then gives both an
// error and what it found so far; see [Finding.Incomplete].
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
		{"putting values in place", s.blaming.blame},
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

// final judges the outputs of the models as they are.
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

// time notes how long a side took.
func (w *search) time(side string, engine backends.Engine, run *backends.Run) {
	var each []time.Duration
	for _, i := range run.Iterations() {
		each = append(each, i.Runtime)
	}
	if t, known := compare.TimingOf(side, each); known {
		w.found.Timings = append(w.found.Timings, t.In(engine.GoString()))
	}
}

// title names the sides by what ran them, and by their options where that is not enough to tell
// them apart.
func (w *search) title(actual, expected backends.Provenance) {
	w.found.Actual = fmt.Sprintf("%s in %v", w.runs.actual.model.Name(), actual)
	w.found.Expected = fmt.Sprintf("%s in %v", w.runs.expected.model.Name(), expected)
	if w.found.Actual == w.found.Expected {
		w.found.Actual += fmt.Sprintf(", %v", w.runs.actual.Engine)
		w.found.Expected += fmt.Sprintf(", %v", w.runs.expected.Engine)
	}
}

// conclude draws the finding's conclusions from its rows.
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
		f.Cause += fmt.Sprintf(" (%d of %d tensors could not be given out: see the notes)", left,
			len(f.Tensors))
	}
	return nil
}

// stopped concludes a search that could not be finished.
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

// sum finds the first tensor and the first node out of tolerance, and counts what was compared.
func (w *search) sum() (compared int) {
	f := w.found
	for i := range f.Tensors {
		p := &f.Tensors[i]
		if p.Verdict == "" {
			continue // left out, and told in a note
		}
		compared++
		p.Growth = w.pairs.growth(p)
		m := w.pairs.matched
		agree := m != nil && f.Verdict != compare.Fail // what differs inside is rounding
		// A quantized weight is always off; what is first is sought among what comes of the inputs.
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

// tell notes what the reader has to know of the two sides.
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
