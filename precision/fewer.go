package precision

import (
	"context"
	"math/bits"
)

// guards returns the largest number of runs that [searching.fewer] takes for a set of the given
// size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// guards returns the number of runs to reserve for [searching.fewer], including one run to verify
// the result. It returns 0 if each run needs a build of the engine, because the search itself needs
// the builds.
func (w *searching) guards(size int) int {
	if w.Engine != nil {
		return 0
	}
	return guards(size) + w.each() - 1
}

// fewer looks for a passing set smaller than kept. It uses simpler methods: it tries the nodes that
// violate a range rule, and then the first or the last nodes, found by bisection as in [Layers]. It
// returns nil if it finds no such set.
//
// The bisection does not run a set that is no smaller than kept, because such a set cannot be the
// result. It goes on as if the set passed, unless the set is known to fail.
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
	for _, reverse := range []bool{false, true} {
		m, err := newMarker(false, reverse, len(w.network.layers()))
		if err != nil {
			return nil, err
		}
		near := scaledBy(w.limits(kept), far)
		for !m.done {
			from, to := m.between()
			other := w.network.among(from, to)
			known := w.result(other)
			switch {
			case size(other) >= size(kept):
				m.step(known == nil || known.Passes)
				continue
			case known == nil && !within(w.predicted.errors(other), near):
				m.step(false)
				continue
			}
			ok, ran, err := w.within(ctx, other)
			if ok || err != nil {
				return other, err
			}
			if ran {
				near = scaledBy(w.limits(other), far)
			}
			m.step(!ran)
		}
	}
	return w.ends(ctx, kept)
}

// ends returns a passing set of the first or the last nodes that is smaller than kept. It also
// finds sets that pass by chance, which a bisection can miss. Smaller sets have larger predicted
// errors, so each failure tells how close the next sets are to passing. Sets that are not close are
// not run.
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

// within judges a set by one method and, if the set passes, by the other as well. ran is false if
// no runs are left.
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

// A set that is predicted to fail may pass by chance. So sets are run although the ratio of their
// predicted to the allowed squared error is above 1: ends accepts ratios up to the constant chance,
// and a bisection accepts ratios up to the constant far. mostEnds limits the number of runs that
// ends makes.
const (
	chance   = 1.5
	far      = 2.5
	mostEnds = 24
)
