package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// isolated runs each node alone on the expected side's values. Cutting the graph at every shared
// tensor splits it into independent nodes or stretches, so one session measures a whole batch.
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
	// If a tensor could not be read, its type is unknown, so it cannot be fed.
	for _, name := range given {
		if !w.found.Tensors[w.pairs.row[name]].Type.Valid() {
			return 0, fmt.Errorf("its input %q could not be read", name)
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
			return 0, fmt.Errorf("locate: the cut model did not return %q", name)
		}
		if e, err = w.pairs.held(name, e); err != nil {
			return 0, err
		}
		m, err := w.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			w.runs.note("%q was not run alone: %v", name, err)
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

// runAlone cuts the actual model at the given tensors and runs it on the expected values.
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

// outputSets returns a run's outputs.
func outputSets(run *backends.Run, err error) ([]*tensor.Set, error) { return run.Outputs(), err }

func valueNames(values []loaders.Value) []string {
	names := make([]string, len(values))
	for i := range values {
		names[i] = values[i].Name
	}
	return names
}

// declared returns an input declared for the given values. It has a shape if all iterations have
// the same shape.
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
