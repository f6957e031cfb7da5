package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// cumulative marks the shared tensors on both sides and compares them, batch by batch.
func (w *judging) cumulative(ctx context.Context) error {
	names := make([]string, len(w.found.Tensors))
	for i := range w.found.Tensors {
		names[i] = w.found.Tensors[i].Tensor
	}
	return w.runs.inBatches(ctx, "comparing tensors inside", names, w.markedBatch)
}

// inBatches works through names within the memory budget. A batch that an engine refuses is halved
// until the tensor that it refuses stands alone; that one becomes a note.
func (w *runner) inBatches(ctx context.Context, doing string, names []string,
	work func(context.Context, []string) (int64, error)) error {
	w.progress.doing(doing, len(names))
	b := newBatches(names, w.options.memory(), w.watches())
	for batch := b.take(); len(batch) > 0; batch = b.take() {
		bytes, err := w.halving(ctx, batch, work)
		if errors.Is(err, errTooLarge) && ctx.Err() == nil {
			b.giveBack(batch)
			continue
		}
		if err != nil {
			return err
		}
		b.learn(bytes, len(batch))
		w.progress.done(len(batch))
	}
	return nil
}

func (w *runner) halving(ctx context.Context, batch []string,
	work func(context.Context, []string) (int64, error)) (int64, error) {
	bytes, err := work(ctx, batch)
	switch {
	case err == nil:
		return bytes, nil
	case ctx.Err() != nil:
		return 0, fmt.Errorf("locate: %w", context.Cause(ctx))
	case errors.Is(err, errTooLarge):
		return 0, err
	case len(batch) == 1:
		w.note("%q was left out: %s", batch[0], strings.TrimPrefix(err.Error(), "locate: "))
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

func (w *runner) note(format string, args ...any) {
	w.found.Notes = append(w.found.Notes, fmt.Sprintf(format, args...))
}

// markedBatch compares one batch of tensors of the marked models, and gives the bytes they took.
func (w *judging) markedBatch(ctx context.Context, names []string) (int64, error) {
	actual, expected, err := w.runs.bothMarked(ctx, names)
	if err != nil {
		return 0, err
	}
	if err := w.judgeMarked(actual, expected); err != nil {
		return 0, err
	}
	for _, name := range names {
		p := &w.found.Tensors[w.pairs.row[name]]
		a, e := all(actual, name), all(expected, name)
		if a == nil || e == nil {
			w.runs.note("%q was left out: it is not a tensor", name)
			continue
		}
		if e, err = w.pairs.held(name, e); err != nil {
			return 0, err
		}
		w.runs.typesOf(name, a[0], e[0])
		m, err := w.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			p.Type, p.Shape = w.runs.actual.typeOf(name, a[0].ElementType()), a[0].Shape()
			w.runs.note("%q was left out: %v", name, err)
			continue
		}
		if err != nil {
			return 0, err
		}
		p.Type = w.runs.actual.typeOf(name, a[m.iteration].ElementType())
		p.Shape = a[m.iteration].Shape()
		p.Verdict, p.Reason, p.Iteration = m.verdict, m.reason, m.iteration
		p.Abs, p.Rel, p.Error = m.abs, m.rel, m.err
		if len(w.pairs.sources[name]) == 0 { // made of weights alone: all of its error is its own
			p.Own = &Own{Verdict: m.verdict, Reason: m.reason, Abs: m.abs, Rel: m.rel, Error: m.err}
		}
	}
	return max(bytesOf(actual), bytesOf(expected)), nil
}

// bothMarked is both sides' outputs and named tensors. A side whose engine wants the types of
// marked tensors declared learns them from the other one.
func (w *runner) bothMarked(ctx context.Context, names []string) (
	actual, expected []*tensor.Set, err error) {
	shownActual, err := w.actual.show(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	shownExpected, err := w.expected.show(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	actual, expected, wrongActual, wrongExpected := w.markBoth(ctx, shownActual, shownExpected)
	if errors.Is(wrongActual, errTooLarge) || errors.Is(wrongExpected, errTooLarge) {
		return nil, nil, errTooLarge
	}
	switch {
	case wrongActual != nil && wrongExpected == nil:
		actual, wrongActual = w.mark(ctx, w.actual, shownActual, expected)
	case wrongExpected != nil && wrongActual == nil:
		expected, wrongExpected = w.mark(ctx, w.expected, shownExpected, actual)
	}
	return actual, expected, cmp.Or(wrongActual, wrongExpected) // one reason is enough
}

// markBoth is mark for both sides, whose runs are watched together.
func (w *runner) markBoth(ctx context.Context, shownActual, shownExpected shown) (
	actual, expected []*tensor.Set, wrongActual, wrongExpected error) {
	var a, e *marking
	w.both(func() { a, wrongActual = w.actual.marking(ctx, shownActual, nil) },
		func() { e, wrongExpected = w.expected.marking(ctx, shownExpected, nil) })
	defer a.close()
	defer e.close()
	ctx, stop := w.watch(ctx, max(len(shownActual.rest), len(shownExpected.rest)))
	defer stop()
	w.both(func() {
		if wrongActual == nil {
			actual, wrongActual = a.sets(ctx)
		}
	}, func() {
		if wrongExpected == nil {
			expected, wrongExpected = e.sets(ctx)
		}
	})
	return actual, expected, wrongActual, wrongExpected
}

// mark completes what a side's engine showed: it runs the side's model with the other tensors
// among its outputs, declared as like has them; nil leaves the types to the engine.
func (w *runner) mark(ctx context.Context, s *seat, shown shown, like []*tensor.Set) (
	[]*tensor.Set, error) {
	m, err := s.marking(ctx, shown, like)
	if err != nil {
		return nil, err
	}
	defer m.close()
	ctx, stop := w.watch(ctx, len(shown.rest))
	defer stop()
	return m.sets(ctx)
}

// judgeMarked holds the models' own outputs, as the marked models gave them, to the rule.
func (w *judging) judgeMarked(actual, expected []*tensor.Set) error {
	own, err := w.runs.actual.model.Outputs()
	if err != nil {
		return err
	}
	names := make([]string, len(own))
	for i := range own {
		names[i] = own[i].Name
	}
	outputs, err := compare.Runs(only(actual, names), only(expected, names), w.runs.options.Compare)
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
