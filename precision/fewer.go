package precision

import (
	"context"
	"math/bits"
)

// guards is how many runs [searching.fewer] may take for a set of a size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// guards is how many runs are kept for [searching.fewer], with one to verify what it finds: none of
// builds, which are for the set.
func (w *searching) guards(size int) int {
	if w.Engine != nil {
		return 0
	}
	return guards(size) + w.each() - 1
}

// fewer is a set with fewer nodes by one of the ways that others go: the first nodes or the last
// ones, as a bisection finds them ([Marker]), or those by their range. It is nil where none passes.
//
// What a bisection tries with as many nodes or more is not run: whether it would pass decides only
// whether the bisection gets to fewer.
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

// ends is the first or the last nodes of a set that is smaller than kept, and passes: a bisection
// passes over some that happen to do. The fewer there are, the more they are predicted to err, so
// each that fails tells how far the next ones are from passing, and those that are not near are not
// run.
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

// within judges a set, in both ways where it passes; ran is false where no run is left.
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

// Where chance may have a set pass that is predicted not to, in squares: chance is how far beyond
// the limits a prediction may be that is worth a run where nothing but chance speaks for the set,
// and far where a bisection would try it. mostEnds is how many runs are for chance.
const (
	chance   = 1.5
	far      = 2.5
	mostEnds = 24
)
