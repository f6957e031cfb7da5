package precision

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// shrink takes nodes out of a set that passes, in the order of what they are predicted to add, as
// long as it passes.
func (w *searching) shrink(ctx context.Context, kept []bool) ([]bool, error) {
	needed := make([]bool, len(kept)) // without these it fails
	for w.left(1 + w.guards(size(kept)) + w.retries()) {
		at := w.leastOf(kept, needed)
		if at < 0 {
			break
		}
		smaller := slices.Clone(kept)
		smaller[at] = false
		if w.hopeless(kept, smaller) {
			break // what adds more is so, too
		}
		t, err := w.try(ctx, smaller)
		if err != nil {
			return nil, err
		}
		if w.passes(smaller, t) {
			kept = smaller
		} else {
			needed[at] = true
		}
	}
	return kept, nil
}

// leastOf is the node of a set that is predicted to add least where it is lowered, or -1.
func (w *searching) leastOf(kept, except []bool) int {
	least, at := math.Inf(1), -1
	limits := w.limits(kept, w.tried[key(kept)])
	before := w.predicted.errors(kept)
	for j := range kept {
		if !kept[j] || except[j] {
			continue
		}
		without := slices.Clone(kept)
		without[j] = false
		cost := 0.0
		for o, e := range w.predicted.errors(without) {
			if e > before[o] {
				cost = max(cost, (e-before[o])/max(limits[o], math.SmallestNonzeroFloat64))
			}
		}
		if cost < least {
			least, at = cost, j
		}
	}
	return at
}

// guards is how many runs [searching.fewer] may take for a set of a size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// guards is how many runs are kept for [searching.fewer]: none of builds, which are for the set.
func (w *searching) guards(size int) int {
	if w.Engine != nil {
		return 0
	}
	return guards(size)
}

// hopeless reports whether a set is not worth the time of a build: it is predicted to be far from
// passing, by what was predicted and measured of another.
func (w *searching) hopeless(judged, kept []bool) bool {
	return w.Engine != nil && w.tried[key(kept)] == nil && !within(w.predicted.errors(kept),
		scaledBy(w.limits(judged, w.tried[key(judged)]), nearby))
}

// fewer is a set with fewer nodes by one of the ways that others go: the first nodes or the last
// ones, as a bisection finds them ([Marker]), or those by their range. It is nil where none passes.
//
// What a bisection tries with as many nodes or more is not run: whether it would pass decides only
// whether the bisection gets to fewer.
func (w *searching) fewer(ctx context.Context, kept []bool) ([]bool, error) {
	most := size(kept) - 1
	ranges := make([]bool, len(kept))
	for j, i := range w.network.steps {
		ranges[j] = w.why[i] != ""
	}
	if size(ranges) > 0 && !w.hopeless(kept, ranges) {
		if t, err := w.within(ctx, ranges, most); err != nil ||
			t != nil && w.passes(ranges, t) {
			return ranges, err
		}
	}
	for _, direction := range []Direction{Forward, Reverse} {
		m, err := w.network.bisection(direction)
		if err != nil {
			return nil, err
		}
		for m.Next() {
			from, to := m.Layers()
			other := w.network.among(from, to)
			if w.hopeless(kept, other) {
				m.Step(false)
				continue
			}
			t, err := w.within(ctx, other, most)
			if err != nil {
				return nil, err
			}
			if t != nil && w.passes(other, t) {
				return other, nil
			}
			m.Step(t == nil)
		}
	}
	return w.ends(ctx, kept, most)
}

// ends is the first or the last nodes of a set that is smaller than kept, and passes, of those that
// are predicted to be near: a bisection passes over some that happen to do.
func (w *searching) ends(ctx context.Context, kept []bool, most int) ([]bool, error) {
	near := scaledBy(w.limits(kept, w.tried[key(kept)]), nearby)
	last := w.runs + mostEnds
	for n := most; n >= 0; n-- {
		for _, reverse := range []bool{false, true} {
			other := make([]bool, len(kept))
			for j := range n {
				if reverse {
					j = len(kept) - 1 - j
				}
				other[j] = true
			}
			if w.runs >= last || !w.left(1+w.retries()) || !within(w.predicted.errors(other), near) {
				continue
			}
			if t, err := w.within(ctx, other, most); err != nil ||
				t != nil && w.passes(other, t) {
				return other, err
			}
		}
	}
	return nil, nil
}

// within judges a set of so many nodes or fewer; it is nil of others, and where no run is left.
func (w *searching) within(ctx context.Context, kept []bool, most int) (*trial, error) {
	if size(kept) > most || w.tried[key(kept)] == nil && !w.left(1) {
		return nil, nil
	}
	return w.try(ctx, kept)
}

// nearby is how far beyond the limits a prediction may be that is worth a run or a build, in
// squares, where chance may have it pass, and mostEnds how many such runs there are.
const (
	nearby   = 4
	mostEnds = 24
)
