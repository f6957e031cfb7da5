package precision

import (
	"context"
	"math/bits"
)

// guards is how many runs [searching.fewer] may take for a set of a size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// guards returns how many runs to reserve for [searching.fewer], including one to verify its
// result. Builds are not reserved; they are for the search itself.
func (w *searching) guards(size int) int {
	if w.Engine != nil {
		return 0
	}
	return guards(size) + w.each() - 1
}

// fewer returns a smaller set found by a simpler method: the first or last nodes, as by bisection
// ([Marker]), or the nodes selected by range. It is nil if none passes.
//
// Steps of the bisection with at least as many nodes are skipped: whether they pass only decides if
// the bisection reaches smaller sets.
func (w *searching) fewer(ctx context.Context, kept []bool) ([]bool, error) {
	ranges := make([]bool, len(kept))
	for j, i := range w.network.steps {
		ranges[j] = w.why[i] != ""
	}
	if size(ranges) > 0 && size(ranges) < size(kept) && !w.hopeless(kept, ranges) {
		if ok, _, err := w.within(ctx, ranges); ok || err != nil {
			return ranges, err
		}
	}
	for _, direction := range []Direction{Forward, Reverse} {
		m, err := w.network.bisection(direction)
		if err != nil {
			return nil, err
		}
		near := scaledBy(w.limits(kept), far)
		for m.Next() {
			from, to := m.Layers()
			other := w.network.among(from, to)
			known := w.result(other)
			switch {
			case size(other) >= size(kept):
				m.Step(known == nil || known.Passes)
				continue
			case known == nil && !within(w.predicted.errors(other), near):
				m.Step(false)
				continue
			}
			ok, ran, err := w.within(ctx, other)
			if ok || err != nil {
				return other, err
			}
			if ran {
				near = scaledBy(w.limits(other), far)
			}
			m.Step(!ran)
		}
	}
	return w.ends(ctx, kept)
}

// ends returns a set of the first or last nodes that is smaller than kept and passes. A bisection
// can miss sets that pass by chance. Smaller sets have larger predicted errors, so each failure
// tells how far the next sets are from passing, and distant ones are not run.
func (w *searching) ends(ctx context.Context, kept []bool) ([]bool, error) {
	near := [][]float64{scaledBy(w.limits(kept), chance), scaledBy(w.limits(kept), chance)}
	last := w.runs + mostEnds
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
			if w.result(other) == nil && w.runs >= last {
				return nil, nil
			}
			ok, ran, err := w.within(ctx, other)
			if ok || err != nil {
				return other, err
			}
			if ran {
				near[end] = scaledBy(w.limits(other), chance)
			}
		}
	}
	return nil, nil
}

// within judges a set, in both ways if it passes; ran is false if no runs are left.
func (w *searching) within(ctx context.Context, kept []bool) (ok, ran bool, err error) {
	if w.result(kept) == nil && !w.left(w.each()) {
		return false, false, nil
	}
	if _, err := w.try(ctx, kept); err != nil {
		return false, false, err
	}
	ok, err = w.verified(ctx, kept)
	return ok, true, err
}

// These bound the runs for sets that are predicted to fail but may pass by chance. chance, in
// squares, is how far beyond the limits a prediction may be to deserve a run if nothing else
// favours the set, and far is the same for sets that a bisection would try. mostEnds is the number
// of runs for chance.
const (
	chance   = 1.5
	far      = 2.5
	mostEnds = 24
)
