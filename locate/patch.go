package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
)

// Limits for the fraction of an output's error that remains after a tensor has been replaced by the
// expected value. The output counts as healed if the fraction is at most healed, or if the output
// is within tolerance. It counts as still wrong if the fraction is at least ill.
const (
	healed = 0.2
	ill    = 0.5
)

// healsFirst reports whether the nodes between p's sources and p's tensor introduce the error of
// the outputs. Both of these tests must succeed:
//
//   - If the expected value replaces p's tensor, the outputs agree, or nearly agree (see healed).
//   - If expected values replace p's sources instead, at least the given share of the error
//     remains. This test replaces only the sources for which relevant returns true. It is skipped
//     if there are none.
func healsFirst(ctx context.Context, w *runner, j *judged, p *Point, share float64,
	relevant func(source string) bool) (bool, error) {
	left, err := heals(ctx, w, j, []string{p.Tensor})
	if err != nil || left > healed {
		return false, err
	}
	before := slices.DeleteFunc(slices.Clone(j.pairs.sources[p.Tensor]), func(name string) bool {
		return !relevant(name)
	})
	if len(before) == 0 {
		return true, nil
	}
	left, err = heals(ctx, w, j, before)
	return left >= share && err == nil, err
}

// heals replaces the named tensors of the actual side by the expected side's values. It returns the
// fraction of an output's error that remains, for the output where this is largest.
func heals(ctx context.Context, w *runner, j *judged, given []string) (left float64, err error) {
	names := slices.Concat(given, loaders.Names(w.actual.ends))
	expected, err := w.markedExpected(ctx, j.pairs.views, names)
	if err != nil {
		return 0, err
	}
	feed, err := j.feed(expected.sets, given)
	if err != nil {
		return 0, err
	}
	got := only(expected.sets, given)
	computed := slices.DeleteFunc(slices.Clone(w.actual.ends), func(v loaders.Value) bool {
		return slices.Contains(given, v.Name)
	})
	if len(computed) > 0 {
		run, err := w.runPart(ctx, j.pairs.views, feed, computed)
		if err != nil {
			return 0, err
		}
		got = join(run, got)
	}
	for _, v := range w.actual.ends {
		row, shown := j.pairs.row[v.Name]
		if !shown || j.tensors[row].Verdict != compare.Fail {
			continue
		}
		a, e := all(got, v.Name), all(expected.sets, v.Name)
		if a == nil || e == nil {
			continue
		}
		m, err := j.measure(j.whole[v.Name], a, e)
		if err != nil {
			return 0, err
		}
		if m.Verdict == compare.Pass {
			continue
		}
		before := float64(j.tensors[row].Error)
		share := float64(m.Error) / before
		if !(share >= 0) { // NaN before or after patching
			share = 1
		}
		left = max(left, share)
	}
	return left, nil
}
