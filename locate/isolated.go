package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// alone runs every node alone on the expected side's values, except nodes that an earlier call has
// tried. It cuts the graph at every tensor that both sides share. The pieces are independent, so
// one session measures a whole batch of them.
func alone(ctx context.Context, w *runner, before *judged) (*judged, error) {
	if !w.options.Isolate {
		return before, nil
	}
	j := before.over(before.pairs)
	var names []string
	for i := range j.tensors {
		if p := &j.tensors[i]; p.Own == nil && p.NotAlone == "" && p.Type.Valid() {
			names = append(names, p.Tensor)
		}
	}
	return j, w.inBatches(ctx, "running nodes alone", measurable(j, w, names),
		func(name, why string) { notAlone(j, name, why) },
		func(ctx context.Context, names []string) (int64, error) { return j.aloneBatch(ctx, w, names) })
}

// notAlone records why the node that computes the named tensor could not run alone.
func notAlone(j *judged, name, why string) {
	j.at(name).NotAlone = why
	j.note("the node of %q was not run alone: %s", name, why)
}

func (j *judged) aloneBatch(ctx context.Context, w *runner, names []string) (int64, error) {
	given := given(j, names)
	// A tensor that could not be read has an unknown type, so it cannot be fed.
	for _, name := range given {
		if !j.at(name).Type.Valid() {
			return 0, fmt.Errorf("its input %q could not be read", name)
		}
	}
	expected, err := w.markedExpected(ctx, j.pairs.views, slices.Concat(names, given))
	if err != nil {
		return 0, err
	}
	j.expected = j.expected.merge(expected)
	feed, err := j.feed(expected.sets, given)
	if err != nil {
		return 0, err
	}
	outputs := make([]loaders.Value, len(names))
	for i, name := range names {
		outputs[i] = loaders.Value{Name: name, Type: j.at(name).Type}
	}
	alone, err := w.runPart(ctx, j.pairs.views, feed, outputs)
	if err != nil {
		return 0, err
	}
	mine, theirs := map[string][]*tensor.Tensor{}, map[string][]*tensor.Tensor{}
	var differing []string
	for _, name := range names {
		out := name
		if slices.Contains(given, name) {
			out += loaders.CutSuffix
		}
		a, e := all(alone, out), all(expected.sets, name)
		if a == nil || e == nil {
			return 0, fmt.Errorf("locate: the part cut from the model did not return %q", name)
		}
		e = j.pairs.held(name, e)
		mine[name], theirs[name] = a, e
		if !slices.EqualFunc(a, e, (*tensor.Tensor).Identical) {
			differing = append(differing, name)
		}
	}
	if err := j.measureAlone(ctx, w, expected.sets, differing); err != nil {
		return 0, err
	}
	for _, name := range names {
		m, err := j.measure(j.alone[name], mine[name], theirs[name])
		if errors.As(err, new(*unjudged)) {
			notAlone(j, name, err.Error())
			continue
		}
		if err != nil {
			return 0, err
		}
		p := j.at(name)
		p.Own = own(j, m, theirs[name])
		p.Own.Stretch = j.pairs.stretch(name)
		if j.pairs.matched == nil { // only narrow needs the limit again
			delete(j.alone, name)
		}
	}
	return bytesOf(expected.sets) + bytesOf(alone), nil
}

// given returns the tensors read by the nodes that compute the named tensors. It leaves out the
// model's inputs.
func given(j *judged, names []string) (given []string) {
	for _, name := range names {
		for _, source := range j.pairs.sources[name] {
			if !j.pairs.fed[source] {
				given = append(given, source)
			}
		}
	}
	slices.Sort(given)
	return slices.Compact(given)
}

func outputSets(run *backends.Run, err error) ([]*tensor.Set, error) { return run.Outputs(), err }

// declared returns the declaration of an input with the given values, one tensor per iteration. It
// declares the shape only if all iterations have the same shape.
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
