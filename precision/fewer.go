package precision

import (
	"context"
	"math/bits"
)

// guards returns the number of runs to reserve for [searching.fewer], if that function starts with
// a set of the given size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// guards is the function [guards], but returns 0 if each run needs a build of the engine: the
// search itself then needs all builds.
func (w *searching) guards(size int) int {
	if w.Engine != nil {
		return 0
	}
	return guards(size)
}

// fewer looks for a smaller set than kept that passes. It tries the nodes that leave the format's
// range, then the first n nodes and the last n nodes for each smaller n. It returns nil if it finds
// no such set.
//
// Each trial shows more exactly how much error the rule allows, and so which of the smaller sets
// may still pass. A set that is predicted to fail may pass by chance, so fewer runs all sets whose
// predicted squared error is at most far times the allowed one.
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
	near := [][]float64{scaledBy(w.limits(kept), far), scaledBy(w.limits(kept), far)}
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
				near[end] = scaledBy(w.limits(other), far)
			}
		}
	}
	return nil, nil
}

// passes judges a set. ran is false if the search has no runs left.
func (w *searching) passes(ctx context.Context, kept []bool) (ok, ran bool, err error) {
	if w.result(kept) == nil && !w.left(w.each()) {
		return false, false, nil
	}
	t, err := w.try(ctx, kept)
	return err == nil && t.Passes, err == nil, err
}

// far is the ratio of predicted to allowed squared error up to which [searching.fewer] runs a set.
const far = 2.5
