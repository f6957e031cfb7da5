package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// isolated runs each node alone on the expected side's values. Many nodes run in one model: cut
// at every shared tensor, the graph falls apart into nodes (or stretches) that know nothing of each
// other, so one session measures a whole batch.
func (w *judging) isolated(ctx context.Context) error {
	if !w.runs.options.Isolate {
		return nil
	}
	var names []string
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; p.Own == nil && p.Type.Valid() && !w.tried[p.Tensor] {
			names = append(names, p.Tensor)
		}
	}
	for _, name := range names {
		w.tried[name] = true
	}
	return w.runs.inBatches(ctx, "running nodes alone", names, w.isolatedBatch)
}

func (w *judging) isolatedBatch(ctx context.Context, names []string) (int64, error) {
	wanted := slices.Clone(names)
	var given []string
	for _, name := range names {
		for _, source := range w.pairs.sources[name] {
			if !w.runs.fed[source] {
				given = append(given, source)
			}
		}
	}
	slices.Sort(given)
	given = slices.Compact(given)
	// A tensor that could not be given out before has no type to be fed with.
	for _, name := range given {
		if !w.found.Tensors[w.pairs.row[name]].Type.Valid() {
			return 0, fmt.Errorf("its input %q could not be given out", name)
		}
	}
	expected, err := w.runs.markedExpected(ctx, slices.Concat(wanted, given))
	if err != nil {
		return 0, err
	}
	own, err := w.runAlone(ctx, expected, given, wanted)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		out := name
		if slices.Contains(given, name) {
			out += loaders.CutSuffix
		}
		a, e := all(own, out), all(expected, name)
		if a == nil || e == nil {
			return 0, fmt.Errorf("locate: %q did not come out of the cut model", name)
		}
		if e, err = w.pairs.held(name, e); err != nil {
			return 0, err
		}
		m, err := w.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			w.runs.note("what %q adds by itself was left out: %v", name, err)
			continue
		}
		if err != nil {
			return 0, err
		}
		w.found.Tensors[w.pairs.row[name]].Own = &Own{Verdict: m.verdict, Reason: m.reason, Abs: m.abs,
			Rel: m.rel, Error: m.err, Stretch: w.pairs.stretch(name)}
	}
	return bytesOf(expected) + bytesOf(own), nil
}

// runAlone cuts the actual model at the given tensors and feeds it with the expected values.
func (w *judging) runAlone(ctx context.Context, expected []*tensor.Set, given, wanted []string) (
	[]*tensor.Set, error) {
	feed, err := w.pairs.feed(expected, given)
	if err != nil {
		return nil, err
	}
	var outputs []loaders.Value
	for _, name := range wanted {
		outputs = append(outputs, loaders.Value{Name: name,
			Type: w.found.Tensors[w.pairs.row[name]].Type})
	}
	return w.runs.runPart(ctx, feed, outputs)
}

// fed is a tensor of the actual model and the values that it is given, one per iteration.
type fed struct {
	name   string
	values []*tensor.Tensor
}

// feed is the expected side's values of some rows' tensors, as the actual side takes them.
func (w *pairs) feed(expected []*tensor.Set, given []string) (list []fed, err error) {
	for _, name := range given {
		values := all(expected, name)
		if values == nil {
			return nil, fmt.Errorf("locate: the expected side gave no tensor %q", name)
		}
		values, err := w.taken(name, values, w.found.Tensors[w.row[name]].Type)
		if err != nil {
			return nil, err
		}
		list = append(list, fed{name, values})
	}
	return list, nil
}

// runPart cuts the actual model between tensors that are fed and outputs, and runs the part.
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

// markedExpected is the expected side's values; an engine that wants the types declared takes the
// actual side's.
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

// outputSets is a run's outputs.
func outputSets(run *backends.Run, err error) ([]*tensor.Set, error) { return run.Outputs(), err }

func valueNames(values []loaders.Value) []string {
	names := make([]string, len(values))
	for i := range values {
		names[i] = values[i].Name
	}
	return names
}

// declared is the input that takes values; its shape is declared where all iterations share it.
func declared(name string, values []*tensor.Tensor) loaders.Value {
	v := loaders.Value{Name: name, Type: values[0].ElementType(), HasShape: true}
	for _, d := range values[0].Shape() {
		v.Dims = append(v.Dims, loaders.Dim{Size: d})
	}
	for _, t := range values {
		if !t.Shape().Equal(values[0].Shape()) {
			v.HasShape, v.Dims = false, nil
		}
	}
	return v
}

// stretch names the nodes that ran together to make a tensor, or is nil where there was only one.
func (w *pairs) stretch(name string) []string {
	list := w.between(name)
	if len(list) < 2 {
		return nil
	}
	names := make([]string, len(list))
	for i, node := range list {
		if names[i] = w.nodes[node].Name; names[i] == "" {
			names[i] = fmt.Sprintf("%s (node %d)", w.nodes[node].Op, node)
		}
	}
	return names
}

// between lists the nodes that make a tensor from its sources, in graph order.
func (w *pairs) between(name string) []int {
	seen := map[int]bool{}
	pending := []string{name}
	var list []int
	for len(pending) > 0 {
		node, made := w.producer[pending[0]]
		pending = pending[1:]
		if !made || seen[node] {
			continue
		}
		seen[node] = true
		list = append(list, node)
		n := &w.nodes[node]
		for _, input := range slices.Concat(n.Inputs, n.Captured) {
			if _, shared := w.row[input]; !shared && len(w.sources[input]) > 0 {
				pending = append(pending, input)
			}
		}
	}
	slices.Sort(list)
	return list
}
