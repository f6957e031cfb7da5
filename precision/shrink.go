package precision

import (
	"context"
	"math"
	"slices"
)

// descent is the progress of a search: a confirmed set that passes in both ways, and smaller and
// smaller sets that have since passed in one way.
//
// A set that passes in one way may fail in the other, so some are also tried in the other way: the
// next set, then the second after it, the fourth, and so on. If one fails, [searching.farthest]
// goes back to a set that passes in both ways, the search continues from there, and the way that
// failed judges first.
type descent struct {
	sure   []bool // the confirmed set; nil if there is none
	path   [][]bool
	stride int
}

// last is the smallest set so far, or nil.
func (d *descent) last() []bool {
	if len(d.path) > 0 {
		return d.path[len(d.path)-1]
	}
	return d.sure
}

// settle confirms as much of the path as passes in both ways.
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

// shrink removes nodes from the set that a descent reached, in the order of their predicted error,
// as long as it passes, and reserves this many runs. Its result is confirmed.
func (w *searching) shrink(ctx context.Context, d *descent, keeps int) ([]bool, error) {
	needed := make([]int, len(d.last())) // how many nodes were kept when removing this one failed
	for {
		kept, at := d.last(), -1
		if w.left(1 + keeps + w.checks(len(d.path)+1)) {
			at = w.leastOf(kept, needed)
		}
		if at >= 0 {
			smaller := slices.Clone(kept)
			smaller[at] = false
			if w.hopeless(kept, smaller) {
				at = -1 // the remaining nodes add even more
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
				needed[j] = 0 // that failure was with fewer nodes
			}
		}
	}
}

// leastOf returns the node of a set with the least predicted error when lowered, except needed
// ones; -1 if there is none.
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

// hopeless reports whether a set is not worth a build, because it is predicted to fail clearly,
// judging by the prediction and measurement of another set.
func (w *searching) hopeless(judged, kept []bool) bool {
	return w.Engine != nil && w.result(kept) == nil && !within(w.predicted.errors(kept),
		scaledBy(w.limits(judged), nearby))
}

// nearby, in squares, is how far beyond the limits a prediction may be to deserve a build, because
// chance may let it pass.
const nearby = 4
