package precision

import (
	"context"
	"math/bits"
)

// reserved returns the number of runs that the search leaves for [searching.fewer] to look for a
// set of fewer than size nodes. It returns 0 if each run needs a build of [Repair.Engine]. The
// earlier stages of the search then need all the builds that [Repair.Builds] allows.
func (w *searching) reserved(size int) int {
	if w.Engine != nil {
		return 0
	}
	return 2*bits.Len(uint(size)) + 1
}

// fewer looks for a set of nodes that passes and is smaller than kept. It first tries the nodes
// whose values do not fit the format's range. It then tries the first n nodes and the last n nodes
// for each smaller n. It returns nil if it finds no such set.
//
// Each trial shows more exactly how much error the rule allows, and so which of the smaller sets
// may still pass. A set that is predicted to fail may pass by chance, so fewer tries every set
// whose predicted squared error is at most [likelyEnough] times the allowed one.
func (w *searching) fewer(ctx context.Context, kept []bool) ([]bool, error) {
	ranges := make([]bool, len(kept))
	for j, i := range w.network.steps {
		ranges[j] = w.why[i] != ""
	}
	if size(ranges) > 0 && size(ranges) < size(kept) && !w.hopeless(kept, ranges) {
		if ok, _, err := w.passes(ctx, ranges); ok || err != nil {
			return ranges, err
		}
	}
	limits := scaledBy(w.limits(kept), likelyEnough)
	near := [][]float64{limits, limits}
	for n := size(kept) - 1; n >= 0; n-- {
		for end := range near {
			other := make([]bool, len(kept))
			for j := range n {
				if end == 1 {
					j = len(kept) - 1 - j
				}
				other[j] = true
			}
			if !within(w.predicted.errors(other), near[end]) {
				continue
			}
			ok, ran, err := w.passes(ctx, other)
			if ok || err != nil {
				return other, err
			}
			if ran {
				near[end] = scaledBy(w.limits(other), likelyEnough)
			}
		}
	}
	return nil, nil
}

// passes reports whether the model passes with a set of nodes in float32. ran is false if the
// search has no runs left.
func (w *searching) passes(ctx context.Context, kept []bool) (ok, ran bool, err error) {
	if w.result(kept) == nil && !w.left(w.formsToCheck()) {
		return false, false, nil
	}
	t, err := w.try(ctx, kept)
	return err == nil && t.Passes, err == nil, err
}

// likelyEnough limits which sets of first nodes or last nodes [searching.fewer] tries. It tries a
// set only if the predicted squared error is at most likelyEnough times the allowed squared error.
const likelyEnough = 2.5
