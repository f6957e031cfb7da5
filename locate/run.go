package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// runner runs both sides' models and parts of them.
type runner struct {
	found            *Finding
	actual, expected *seat
	options          Options
	sets, theirs     []*tensor.Set   // the inputs, under each side's own names
	fed              map[string]bool // names of the actual model's inputs
	progress         *tracker
}

// inBatches calls work for names, in batches that fit the memory budget. If an engine rejects a
// batch, it halves the batch until the offending tensor is alone, and adds a note about that
// tensor.
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

// bothMarked returns both sides' outputs and the named tensors. If an engine needs declared types
// for marked tensors, they are taken from the other side's results.
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
	return actual, expected, cmp.Or(wrongActual, wrongExpected) // one error is enough
}

// markBoth runs both sides with marked tensors. Both runs share one memory watch.
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

// mark completes what a side's engine returned: it runs the side's model with the missing tensors
// as additional outputs. They are declared like the tensors in like; if like is nil, their types
// are left to the engine.
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

// untyped returns outputs whose types are left to the engine.
func untyped(names []string) []loaders.Value {
	values := make([]loaders.Value, len(names))
	for i, name := range names {
		values[i] = loaders.Value{Name: name, Kind: loaders.Untyped}
	}
	return values
}

// typedLike declares values with the types of the tensors of the same names in like.
func typedLike(values []loaders.Value, like []*tensor.Set) []loaders.Value {
	typed := slices.Clone(values)
	for i := range typed {
		if t := all(like, typed[i].Name); len(t) > 0 {
			typed[i].Kind, typed[i].Type = loaders.Tensor, t[0].ElementType()
		}
	}
	return typed
}

// only returns sets with only the named tensors.
func only(sets []*tensor.Set, names []string) []*tensor.Set {
	kept := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		kept[i] = set.Only(names...)
	}
	return kept
}

// all returns the named tensor of each iteration, or nil if an iteration does not have it.
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

// gives returns the side's values of the tensors, given by that side's own names.
func (w *runner) gives(ctx context.Context, s *seat, names []string) ([]*tensor.Set, error) {
	shown, err := s.show(ctx, names)
	if err != nil {
		return nil, err
	}
	sets, err := w.mark(ctx, s, shown, nil)
	s.marked = slices.DeleteFunc(s.marked, func(name string) bool {
		return slices.Contains(names, name) // a note is added when pairs are compared
	})
	return sets, err
}

// named returns the expected side's values of tensors that are given by their names there.
func (w *runner) named(ctx context.Context, names []string) ([]*tensor.Set, error) {
	ends := w.expected.names
	w.expected.names = nil
	defer func() { w.expected.names = ends }()
	return w.gives(ctx, w.expected, names)
}

// runPart cuts the actual model between feed and outputs, and runs the part.
func (w *runner) runPart(ctx context.Context, feed []fed, outputs []loaders.Value) (
	[]*tensor.Set, error) {
	inputs := make([]loaders.Value, len(feed))
	for i, f := range feed {
		inputs[i] = declared(f.name, f.values)
	}
	part, err := w.actual.model.Cut(inputs, outputs)
	if err != nil {
		return nil, err
	}
	needed, err := part.Inputs()
	if err != nil {
		return nil, err
	}
	sets := make([]*tensor.Set, len(w.sets))
	for i := range sets {
		var entries []tensor.Entry
		for _, f := range feed {
			entries = append(entries, tensor.Entry{Name: f.name, Tensor: f.values[i]})
		}
		for _, v := range needed {
			if t, ok := w.sets[i].Get(v.Name); ok && w.fed[v.Name] {
				entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
			}
		}
		if sets[i], err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
	}
	given := fixtures.Of(only(sets, valueNames(needed))...)
	backend, err := w.actual.parts.Open(ctx, part, given)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", w.actual.name(), err)
	}
	defer backend.Close()
	ctx, stop := w.watch(ctx, len(outputs))
	defer stop()
	run, err := backend.Run(ctx, given)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", w.actual.name(), err)
	}
	return w.actual.plain(run.Outputs())
}

// markedExpected returns the expected side's values. If its engine needs declared types, they are
// taken from the actual side's results.
func (w *runner) markedExpected(ctx context.Context, names []string) ([]*tensor.Set, error) {
	shown, err := w.expected.show(ctx, names)
	if err != nil {
		return nil, err
	}
	sets, err := w.mark(ctx, w.expected, shown, nil)
	if err == nil || ctx.Err() != nil || errors.Is(err, errTooLarge) {
		return sets, err
	}
	_, sets, err = w.bothMarked(ctx, names)
	return sets, err
}

// compareTypes allows different element types, because the search is about values, and adds a note
// about the difference.
func (w *runner) compareTypes(actual, expected []*tensor.Set) {
	for i := range min(len(actual), len(expected)) {
		for name, a := range actual[i].All() {
			e, ok := expected[i].Get(name)
			if ok && a.ElementType() != e.ElementType() && !w.options.Compare.AnyElementType {
				w.note("element types differ (%q is %v, expected %v): only values are compared", name,
					a.ElementType(), e.ElementType())
				w.options.Compare.AnyElementType = true
			}
		}
	}
}

// typesOf adds a note about the first pair of inner tensors with different types.
func (w *runner) typesOf(name string, a, e *tensor.Tensor) {
	if a.ElementType() == e.ElementType() || w.options.Compare.AnyElementType {
		return
	}
	w.options.Compare.AnyElementType = true
	w.note("element types differ (%q is %v, expected %v): only values are compared", name,
		a.ElementType(), e.ElementType())
}
