package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// cumulative marks the shared tensors on both sides and compares them, batch by batch.
func (w *search) cumulative(ctx context.Context) error {
	names := make([]string, len(w.found.Tensors))
	for i := range w.found.Tensors {
		names[i] = w.found.Tensors[i].Tensor
	}
	return w.inBatches(ctx, "comparing tensors inside", names, w.markedBatch)
}

// inBatches works through names within the memory budget. A batch that an engine refuses is halved
// until the tensor that it refuses stands alone; that one becomes a note.
func (w *search) inBatches(ctx context.Context, doing string, names []string,
	work func(context.Context, []string) (int64, error)) error {
	w.progress.doing(doing, len(names))
	b := newBatches(names, w.options.memory())
	for batch := b.take(); len(batch) > 0; batch = b.take() {
		bytes, err := w.halving(ctx, batch, work)
		if err != nil {
			return err
		}
		b.learn(bytes, len(batch))
		w.progress.done(len(batch))
	}
	return nil
}

func (w *search) halving(ctx context.Context, batch []string,
	work func(context.Context, []string) (int64, error)) (int64, error) {
	bytes, err := work(ctx, batch)
	switch {
	case err == nil:
		return bytes, nil
	case ctx.Err() != nil:
		return 0, fmt.Errorf("locate: %w", context.Cause(ctx))
	case len(batch) == 1:
		w.note("%q was left out: %v", batch[0], err)
		return 0, nil
	}
	half := len(batch) / 2
	first, err := w.halving(ctx, batch[:half], work)
	if err != nil {
		return 0, err
	}
	second, err := w.halving(ctx, batch[half:], work)
	return first + second, err
}

func (w *search) note(format string, args ...any) {
	w.found.Notes = append(w.found.Notes, fmt.Sprintf(format, args...))
}

// markedBatch compares one batch of tensors of the marked models, and gives the bytes they took.
func (w *search) markedBatch(ctx context.Context, names []string) (int64, error) {
	actual, expected, err := w.bothMarked(ctx, names)
	if err != nil {
		return 0, err
	}
	if err := w.judgeMarked(actual, expected); err != nil {
		return 0, err
	}
	for _, name := range names {
		p := &w.found.Tensors[w.row[name]]
		a, e := all(actual, name), all(expected, name)
		if a == nil || e == nil {
			w.note("%q was left out: it is not a tensor", name)
			continue
		}
		if e, err = w.held(name, e); err != nil {
			return 0, err
		}
		w.typesOf(name, a[0], e[0])
		m, err := w.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			p.Type, p.Shape = w.actual.typeOf(name, a[0].ElementType()), a[0].Shape()
			w.note("%q was left out: %v", name, err)
			continue
		}
		if err != nil {
			return 0, err
		}
		p.Type = w.actual.typeOf(name, a[m.iteration].ElementType())
		p.Shape = a[m.iteration].Shape()
		p.Verdict, p.Reason, p.Iteration = m.verdict, m.reason, m.iteration
		p.Abs, p.Rel, p.Error = m.abs, m.rel, m.err
		if len(w.sources[name]) == 0 { // made of weights alone: all of its error is its own
			p.Own = &Own{Verdict: m.verdict, Reason: m.reason, Abs: m.abs, Rel: m.rel, Error: m.err}
		}
	}
	return max(bytesOf(actual), bytesOf(expected)), nil
}

// bothMarked is both sides' outputs and named tensors. A side whose engine wants the types of
// marked tensors declared learns them from the other one.
func (w *search) bothMarked(ctx context.Context, names []string) (
	actual, expected []*tensor.Set, err error) {
	shownActual, err := w.actual.show(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	shownExpected, err := w.expected.show(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	actual, wrongActual := w.actual.mark(ctx, shownActual, nil)
	expected, wrongExpected := w.expected.mark(ctx, shownExpected, nil)
	switch {
	case wrongActual != nil && wrongExpected == nil:
		actual, wrongActual = w.actual.mark(ctx, shownActual, expected)
	case wrongExpected != nil && wrongActual == nil:
		expected, wrongExpected = w.expected.mark(ctx, shownExpected, actual)
	}
	return actual, expected, errors.Join(wrongActual, wrongExpected)
}

// mark completes what a side's engine showed: it runs the side's model with the other tensors
// among its outputs, declared as like has them; nil leaves the types to the engine.
func (s *seat) mark(ctx context.Context, shown shown, like []*tensor.Set) (
	[]*tensor.Set, error) {
	if len(shown.rest) == 0 {
		return shown.sets, nil
	}
	own := s.names.own(shown.rest)
	inner := slices.DeleteFunc(slices.Clone(shown.rest), func(name string) bool {
		return s.isInput(s.names.called(name))
	})
	model, err := s.model.MarkAs(s.names.values(typedLike(untyped(inner), like))...)
	if err != nil {
		return nil, err
	}
	run, err := s.run(ctx, model, s.inputs)
	if err != nil {
		return nil, err
	}
	sets, err := s.plain(run.Outputs())
	if err != nil {
		return nil, err
	}
	if len(inner) < len(shown.rest) {
		if sets, err = s.withInputs(sets, own); err != nil {
			return nil, err
		}
	}
	sets = s.names.back(sets, shown.rest)
	if s.inside == nil {
		return sets, nil
	}
	s.marked = noted(s.marked, shown.rest...)
	return join(sets, shown.sets), nil
}

// judgeMarked holds the models' own outputs, as the marked models gave them, to the rule.
func (w *search) judgeMarked(actual, expected []*tensor.Set) error {
	own, err := w.actual.model.Outputs()
	if err != nil {
		return err
	}
	names := make([]string, len(own))
	for i := range own {
		names[i] = own[i].Name
	}
	outputs, err := compare.Runs(only(actual, names), only(expected, names), w.options.Compare)
	if err != nil {
		return fmt.Errorf("locate: outputs of the marked models: %w", err)
	}
	if outputs.Verdict == compare.Fail {
		w.found.MarkedVerdict = compare.Fail
	}
	return nil
}

// untyped is outputs whose types are left to the engine.
func untyped(names []string) []loaders.Value {
	values := make([]loaders.Value, len(names))
	for i, name := range names {
		values[i] = loaders.Value{Name: name, Kind: loaders.Untyped}
	}
	return values
}

// typedLike gives values the types that tensors of their names have.
func typedLike(values []loaders.Value, like []*tensor.Set) []loaders.Value {
	typed := slices.Clone(values)
	for i := range typed {
		if t := all(like, typed[i].Name); len(t) > 0 {
			typed[i].Kind, typed[i].Type = loaders.Tensor, t[0].ElementType()
		}
	}
	return typed
}

// only keeps the named tensors of each set.
func only(sets []*tensor.Set, names []string) []*tensor.Set {
	kept := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		kept[i] = set.Only(names...)
	}
	return kept
}

// all is one tensor in each iteration, or nil if an iteration lacks it.
func all(sets []*tensor.Set, name string) []*tensor.Tensor {
	list := make([]*tensor.Tensor, len(sets))
	for i, set := range sets {
		t, ok := set.Get(name)
		if !ok {
			return nil
		}
		list[i] = t
	}
	return list
}
