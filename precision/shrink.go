package precision

import (
	"context"
	"math"
	"slices"
)

// descent is how far a search got: to a set that is sure, which passes in both ways, and to sets
// that passed in one way since, each with fewer nodes than the one before it.
//
// What passes in one way may fail in the other one, so that is tried as well: of the next set, then
// of the second after that, the fourth, and so on. Where it fails, [searching.farthest]
// looks back for a set that holds in both, the search goes on from there, and the way that failed
// judges first.
type descent struct {
	sure   []bool // nil is none
	path   [][]bool
	stride int
}

// last is the set that the search got to; nil is none.
func (d *descent) last() []bool {
	if len(d.path) > 0 {
		return d.path[len(d.path)-1]
	}
	return d.sure
}

// settle makes the path sure, as far as that holds.
func (d *descent) settle(ctx context.Context, w *searching) (all bool, err error) {
	held, err := w.farthest(ctx, d.path)
	if err != nil {
		return false, err
	}
	if all = held == len(d.path); all {
		d.stride = 2 * d.stride
	} else {
		d.stride = 1
	}
	if held > 0 {
		d.sure = d.path[held-1]
	}
	d.path = nil
	return all, nil
}

// shrink takes nodes out of the set that a descent got to, in the order of what they are predicted
// to add, as long as it passes, and keeps so many runs. What it gives is sure.
func (w *searching) shrink(ctx context.Context, d *descent, keeps int) ([]bool, error) {
	needed := make([]int, len(d.last())) // how many nodes stayed where it failed without one of them
	for {
		kept, at := d.last(), -1
		if w.left(1 + keeps + w.checks(len(d.path)+1)) {
			at = w.leastOf(kept, needed)
		}
		if at >= 0 {
			smaller := slices.Clone(kept)
			smaller[at] = false
			if w.hopeless(kept, smaller) {
				at = -1 // what adds more is so, too
			} else {
				t, err := w.try(ctx, smaller)
				if err != nil {
					return nil, err
				}
				if !t.Passes {
					needed[at] = size(kept)
					continue
				}
				d.path = append(d.path, smaller)
			}
		}
		switch {
		case len(d.path) == 0:
			return d.sure, nil
		case at >= 0 && len(d.path) < d.stride:
			continue
		}
		if all, err := d.settle(ctx, w); err != nil {
			return nil, err
		} else if all {
			continue
		}
		for j, of := range needed {
			if of < size(d.sure) {
				needed[j] = 0 // it failed with fewer nodes
			}
		}
	}
}

// leastOf is the node of a set that is predicted to add least where it is lowered, but for those
// that are needed; -1 is none.
func (w *searching) leastOf(kept []bool, needed []int) int {
	least, at := math.Inf(1), -1
	limits, before := w.limits(kept), w.predicted.errors(kept)
	for j := range kept {
		if !kept[j] || needed[j] > 0 {
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

// hopeless reports whether a set is not worth the time of a build: it is predicted to be far from
// passing, by what was predicted and measured of another.
func (w *searching) hopeless(judged, kept []bool) bool {
	return w.Engine != nil && w.result(kept) == nil && !within(w.predicted.errors(kept),
		scaledBy(w.limits(judged), nearby))
}

// nearby is how far beyond the limits a prediction may be that is worth a build, in squares, where
// chance may have it pass.
const nearby = 4
