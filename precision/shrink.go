package precision

import (
	"context"
	"math"
	"slices"
)

// descent holds the progress of a search: a confirmed set, which passes by both methods, and a path
// of smaller and smaller sets that are known to pass by one method.
//
// A set that passes by one method may fail by the other, so some sets of the path are tried by
// both: the next set, then the second after it, the fourth, and so on. If such a set fails,
// [searching.farthest] finds a set that passes by both methods, and the search continues from
// there. From then on, sets are first judged by the method by which this set failed.
type descent struct {
	sure   []bool // the confirmed set; nil if there is none
	path   [][]bool
	stride int
}

// last returns the smallest set so far, or nil.
func (d *descent) last() []bool {
	if len(d.path) > 0 {
		return d.path[len(d.path)-1]
	}
	return d.sure
}

// settle confirms the part of the path that passes by both methods. all reports whether this is the
// whole path.
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

// shrink removes nodes from the last set of a descent, in the order of their predicted error, as
// long as the set passes. It leaves the given number of runs unused. The set that it returns is
// confirmed.
func (w *searching) shrink(ctx context.Context, d *descent, keeps int) ([]bool, error) {
	needed := make([]int, len(d.last())) // by node: the size of the set from which removing it failed
	for {
		kept, at := d.last(), -1
		if w.left(1 + keeps + w.checks(len(d.path)+1)) {
			at = w.leastOf(kept, needed)
		}
		if at >= 0 {
			smaller := slices.Clone(kept)
			smaller[at] = false
			if w.hopeless(kept, smaller) {
				at = -1 // all remaining nodes add more error
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
				needed[j] = 0 // retry: removing node j failed from a smaller set
			}
		}
	}
}

// leastOf returns the node of a set that adds the least predicted error when lowered, ignoring
// needed nodes. It returns -1 if there is none.
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

// hopeless reports whether a set is predicted to fail so clearly that it is not worth a build.
// judged is a set that was tried; its result calibrates the prediction.
func (w *searching) hopeless(judged, kept []bool) bool {
	return w.Engine != nil && w.result(kept) == nil && !within(w.predicted.errors(kept),
		scaledBy(w.limits(judged), nearby))
}

// nearby is the ratio of predicted to allowed squared error up to which a set deserves a build,
// because it may pass by chance.
const nearby = 4
