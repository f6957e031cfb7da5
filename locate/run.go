package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/ginkgocontext"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// runner runs the models of both sides, and parts of these models. It stores no results of the
// search.
type runner struct {
	actual, expected *side
	options          Options
	fed              map[string]bool // names of the actual model's inputs
	progress         *tracker
	detach           func() // takes the progress out of Ginkgo's reports
	before           uint64 // the size of the process when the search began
}

func newRunner(ctx context.Context, actual, expected backends.Subject, o Options) (
	*runner, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	a, e, err := pair(ctx, actual, expected)
	if err != nil {
		return nil, err
	}
	return runnerOf(ctx, a, e, o), nil
}

// runnerOf creates a runner for two sides.
func runnerOf(ctx context.Context, a, e *side, o Options) *runner {
	before, _ := memory.Resident()
	w := &runner{actual: a, expected: e, options: o, fed: map[string]bool{},
		progress: &tracker{tell: o.Progress, began: time.Now()}, before: before}
	w.detach = ginkgocontext.Attach(ctx, w.progress.String)
	for _, s := range w.sides() {
		s.kept = &kept{tensors: map[string][]*tensor.Tensor{}, room: o.memory() / 8}
	}
	for _, v := range a.starts {
		w.fed[v.Name] = true
	}
	return w
}

func (w *runner) sides() [2]*side { return [2]*side{w.actual, w.expected} }

func (w *runner) close() {
	for _, s := range w.sides() {
		s.close()
	}
	w.detach()
}

// bothMarked returns, for each side, the outputs and the named tensors. If a side's engine cannot
// return inner tensors, bothMarked runs a model that has the named tensors and the operands as
// additional outputs; it then returns the operands as well. The additional outputs have no declared
// types at first. If one side fails, bothMarked runs this side again with types: each additional
// output gets the type of the same tensor in the other side's results. The second run leaves out
// tensors that the other side did not return.
func (w *runner) bothMarked(ctx context.Context, v views, names []string, operands ...string) (
	actual, expected reading, err error) {
	var shown, found [2]reading
	var wrong [2]error
	seen := [2]view{v.actual, v.expected}
	for i, s := range w.sides() {
		if shown[i], err = s.show(ctx, seen[i], names, operands...); err != nil {
			return actual, expected, err
		}
	}
	for i, s := range w.sides() {
		found[i], wrong[i] = w.mark(ctx, s, seen[i], shown[i], nil)
		if errors.Is(wrong[i], errTooLarge) {
			return actual, expected, errTooLarge
		}
	}
	for i, s := range w.sides() {
		other := found[1-i].sets
		if wrong[i] == nil || other == nil {
			continue
		}
		typed := shown[i] // without what neither engine returns; compareOne notes what is missing
		typed.rest = slices.DeleteFunc(slices.Clone(typed.rest), func(name string) bool {
			return all(other, name) == nil
		})
		found[i], wrong[i] = w.mark(ctx, s, seen[i], typed, other)
	}
	return found[0], found[1], cmp.Or(wrong[:]...) // one error is enough
}

// mark adds to shown the tensors that the side's engine has not returned yet. It runs the side's
// model with these tensors as additional outputs. If reference is not nil, the outputs get the
// types that the same tensors have in reference. Otherwise the engine determines the types.
func (w *runner) mark(ctx context.Context, s *side, v view, shown reading,
	reference []*tensor.Set) (reading, error) {
	if len(shown.rest) == 0 {
		return shown, nil
	}
	own := v.names.translate(shown.rest)
	sets := s.kept.sets(own)
	if !s.kept.has(v, own...) {
		var err error
		if sets, err = w.runMarked(ctx, s, v, shown.rest, reference); err != nil {
			return shown, err
		}
	}
	sets = v.withInputs(sets, own)
	found := reading{sets: v.names.back(sets, shown.rest), changed: shown.changed}
	if s.inside != nil {
		found.sets, found.marked = join(found.sets, shown.sets), shown.rest
	}
	return found, nil
}

// runMarked runs a side's model with the named tensors as additional outputs.
func (w *runner) runMarked(ctx context.Context, s *side, v view, names []string,
	reference []*tensor.Set) ([]*tensor.Set, error) {
	inner := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return v.isInput(v.names.called(name))
	})
	model, err := s.model.MarkAs(v.names.values(typedLike(untyped(inner), reference))...)
	if err != nil {
		return nil, err
	}
	run, err := w.watched(ctx, s, model, s.inputs, len(names))
	if err != nil {
		return nil, err
	}
	sets, err := v.plain(run.Outputs())
	if err != nil || s.inside != nil {
		return sets, err
	}
	s.kept.addMarked(sets, loaders.Names(s.ends))
	return sets, nil
}

// watched runs a model that returns the given number of additional tensors. It stops a run that
// takes too much memory; see watch.
func (w *runner) watched(ctx context.Context, s *side, model *loaders.Model, in fixtures.Inputs,
	tensors int) (run *backends.Run, err error) {
	backend, err := s.parts.Open(ctx, model, in)
	if err == nil {
		defer backend.Close()
		ctx, stop := w.watch(ctx, tensors)
		defer stop()
		run, err = backend.Run(ctx, in)
	}
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	return run, nil
}

// untyped declares outputs whose types the engine is to determine.
func untyped(names []string) []loaders.Value {
	values := make([]loaders.Value, len(names))
	for i, name := range names {
		values[i] = loaders.Value{Name: name, Kind: loaders.Untyped}
	}
	return values
}

// typedLike gives each value the type that the tensor of the same name has in reference.
func typedLike(values []loaders.Value, reference []*tensor.Set) []loaders.Value {
	typed := slices.Clone(values)
	for i := range typed {
		if t := all(reference, typed[i].Name); len(t) > 0 {
			typed[i].Kind, typed[i].Type = loaders.Tensor, t[0].ElementType()
		}
	}
	return typed
}

// only returns copies of the sets. Each copy contains only the named tensors.
func only(sets []*tensor.Set, names []string) []*tensor.Set {
	kept := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		kept[i] = set.Only(names...)
	}
	return kept
}

// all returns the tensors with the given name, one per iteration. It returns nil if an iteration
// lacks the tensor.
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

// gives returns a side's values of the named tensors. The names are this side's, which may differ
// from the actual side's.
func (w *runner) gives(ctx context.Context, s *side, v view, names []string) (
	[]*tensor.Set, error) {
	v.names = nil
	shown, err := s.show(ctx, v, names)
	if err != nil {
		return nil, err
	}
	found, err := w.mark(ctx, s, v, shown, nil)
	return found.sets, err
}

// runPart runs the part of the actual model that computes outputs from the tensors in feed.
func (w *runner) runPart(ctx context.Context, v views, feed []fed, outputs []loaders.Value) (
	[]*tensor.Set, error) {
	part, inputs, err := cut(w.actual.model, w.actual.sets, feed, outputs)
	if err != nil {
		return nil, err
	}
	run, err := w.watched(ctx, w.actual, part, fixtures.Of(inputs...), len(outputs))
	if err != nil {
		return nil, err
	}
	return v.actual.plain(run.Outputs())
}

// cut returns the part of a model that computes outputs from the tensors in feed. It also returns
// the part's inputs. given contains the inputs of the whole model.
func cut(model *loaders.Model, given []*tensor.Set, feed []fed, outputs []loaders.Value) (
	*loaders.Model, []*tensor.Set, error) {
	var begin []loaders.Value
	for _, f := range feed {
		begin = append(begin, declared(f.name, f.values))
	}
	part, err := model.Cut(begin, outputs)
	if err != nil {
		return nil, nil, err
	}
	needed, err := part.Inputs()
	if err != nil {
		return nil, nil, err
	}
	names := loaders.Names(needed)
	inputs := only(given, names)
	for i, set := range inputs {
		more := map[string]*tensor.Tensor{}
		for _, f := range feed {
			if slices.Contains(names, f.name) {
				more[f.name] = f.values[i]
			}
		}
		inputs[i], _ = sets.With(set, more) // the names are unique
	}
	return part, inputs, nil
}

// markedExpected returns the outputs and the named tensors of the expected side. If the side's
// engine rejects outputs without a type, they get the types that they have in the actual side's
// results.
func (w *runner) markedExpected(ctx context.Context, v views, names []string) (reading, error) {
	shown, err := w.expected.show(ctx, v.expected, names)
	if err != nil {
		return reading{}, err
	}
	found, err := w.mark(ctx, w.expected, v.expected, shown, nil)
	if err == nil || ctx.Err() != nil || errors.Is(err, errTooLarge) {
		return found, err
	}
	_, found, err = w.bothMarked(ctx, v, names)
	return found, err
}
