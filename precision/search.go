package precision

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// chance limits the predicted squared error of a set, as a multiple of the squared error that the
// rule allows. A set below the limit is worth trying even if it is predicted to fail, because
// predictions are not exact. In random networks, no set above 1.6 passed.
const chance = 4

// search finds the set of nodes to keep in float32. It tries the sets that are predicted to pass,
// and then looks for smaller ones, in three ways: [searching.shrink], [searching.smaller] and
// [searching.ends].
func (w *searching) search(ctx context.Context) ([]bool, error) {
	best, err := w.likely(ctx)
	for err == nil {
		var next []bool
		for _, look := range []func(context.Context, []bool) ([]bool, error){w.shrink, w.smaller,
			w.ends} {
			if next, err = look(ctx, best); next != nil || err != nil {
				break
			}
		}
		if next == nil {
			break
		}
		best = next
	}
	return best, err
}

// likely tries sets that are predicted to pass, and returns the smallest one that passes. Each
// trial corrects the prediction.
func (w *searching) likely(ctx context.Context) (best []bool, err error) {
	kept, tighter := w.forced(), closer
	for {
		t, err := w.try(ctx, kept)
		if err != nil {
			return nil, err
		}
		switch {
		case t.Passes && (best == nil || size(kept) < size(best)):
			best = kept
		case !t.Passes && size(kept) == len(kept):
			return nil, fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond,
				w.target(), t.Reason)
		}
		limits := w.limits(kept)
		for {
			next := w.predicted.lowering(limits)
			ok := tighter >= closest && w.left(2)
			if best != nil && (!ok || size(next) >= size(best)) {
				return best, nil
			}
			if !ok {
				next = all(len(kept))
			}
			if w.result(next) == nil {
				kept, tighter = next, closer
				break
			}
			for o := range limits { // the set was predicted to pass, but failed
				limits[o] *= tighter
			}
			tighter *= tighter
		}
	}
}

// If a set fails although it was predicted to pass, the allowed squared errors are multiplied by
// the factor closer. After each further failure the factor is smaller; the smallest is closest.
const (
	closer  = 0.8
	closest = 1e-30
)

// left reports whether n more sets may be tried. It limits [searching.likely], and every search
// with an engine that needs a build for each set.
func (w *searching) left(n int) bool { return len(w.tried)+n <= cmp.Or(w.Builds, builds) }

// builds is the default of [Repair.Builds].
const builds = 16

// shrink removes nodes from a set that passes, smallest predicted error first. It keeps each node
// without which the set fails. It returns nil if it removes no node.
func (w *searching) shrink(ctx context.Context, kept []bool) (smaller []bool, err error) {
	needed := make([]bool, len(kept)) // nodes without which the set failed
	for w.Engine == nil || w.left(1) {
		at := w.leastOf(kept, needed)
		if at < 0 {
			break
		}
		without := slices.Clone(kept)
		without[at] = false
		if w.Engine != nil && w.result(without) == nil &&
			!(w.predicted.ratio(without, w.limits(kept)) <= chance) {
			break // not worth building an engine: all remaining nodes add more error
		}
		t, err := w.try(ctx, without)
		if err != nil {
			return nil, err
		}
		if t.Passes {
			kept, smaller = without, without
		} else {
			needed[at] = true
		}
	}
	return smaller, nil
}

// leastOf returns the node of a set that adds the smallest predicted error if it is removed,
// ignoring needed nodes. It returns -1 if there is none.
func (w *searching) leastOf(kept, needed []bool) int {
	least, at := math.Inf(1), -1
	limits, errors, lowered := w.limits(kept), w.predicted.errors(kept), w.predicted.lowered(kept)
	for j := range kept {
		if !kept[j] || needed[j] {
			continue
		}
		if cost, _ := w.predicted.cost(j, lowered, errors, limits); cost < least {
			least, at = cost, j
		}
	}
	return at
}

// ends looks for a smaller set than kept that passes, among the sets of the first nodes and of the
// last nodes. It returns nil if it finds none.
func (w *searching) ends(ctx context.Context, kept []bool) ([]bool, error) {
	// Each trial shows more exactly how much error the rule allows.
	limits := [2][]float64{w.limits(kept), w.limits(kept)}
	for n := size(kept) - 1; n >= 0; n-- {
		for end := range limits {
			other := make([]bool, len(kept))
			from := end * (len(kept) - n)
			for j := range n {
				other[from+j] = true
			}
			if !(w.predicted.ratio(other, limits[end]) <= chance) || w.Engine != nil && !w.left(1) {
				continue
			}
			t, err := w.try(ctx, other)
			if err != nil || t.Passes {
				return other, err
			}
			limits[end] = w.limits(other)
		}
	}
	return nil, nil
}

// fewNodes is the largest number of compute nodes for which all smaller sets are candidates.
const fewNodes = 12

// smaller returns a set with fewer nodes than kept that passes, or nil. In a network of at most
// [fewNodes] compute nodes, it tries every smaller set that is not predicted to fail clearly, in
// ascending order of predicted error. In larger networks it tries nothing.
func (w *searching) smaller(ctx context.Context, kept []bool) ([]bool, error) {
	if len(kept) > fewNodes || w.Engine != nil {
		return nil, nil
	}
	type candidate struct {
		kept  []bool
		ratio float64
	}
	var list []candidate
	limits := w.limits(kept)
	for set := range 1 << len(kept) {
		one := candidate{kept: make([]bool, len(kept))}
		for j := range kept {
			one.kept[j] = set>>j&1 == 1
		}
		if size(one.kept) >= size(kept) {
			continue
		}
		if one.ratio = w.predicted.ratio(one.kept, limits); one.ratio <= chance {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.ratio, b.ratio) })
	for _, one := range list {
		if t, err := w.try(ctx, one.kept); err != nil || t.Passes {
			return one.kept, err
		}
	}
	return nil, nil
}
