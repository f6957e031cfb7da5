package precision

import (
	"cmp"
	"context"
	"fmt"
)

// search finds the set of nodes to keep in float32. It tries sets that are predicted to pass,
// correcting the prediction after each trial, and then removes nodes one at a time. Next it checks
// whether fewer nodes suffice if it keeps the first nodes, the last nodes or the nodes that leave
// the format's range. The limit on runs does not apply to the two steps after that: search again
// removes nodes one at a time and, if the network is small, tries all smaller sets of nodes
// ([searching.smaller]).
func (w *searching) search(ctx context.Context) ([]bool, error) {
	best, err := w.likely(ctx)
	for err == nil {
		if best, err = w.shrink(ctx, best, w.reserved(size(best))); err != nil {
			break
		}
		other, wrong := w.fewer(ctx, best)
		if err = wrong; other == nil {
			break
		}
		best = other
	}
	if err != nil {
		return nil, err
	}
	w.guided = cmp.Or(w.guided, w.runs)
	w.thorough = true
	defer func() { w.thorough = false }()
	for { // a set of nodes may pass although a larger one failed
		before := size(best)
		if best, err = w.shrink(ctx, best, 0); err != nil {
			return nil, err
		}
		if size(best) < before {
			continue
		}
		other, err := w.smaller(ctx, best)
		if err == nil && other == nil && w.Engine == nil {
			other, err = w.fewer(ctx, best)
		}
		if err != nil || other == nil {
			return best, err
		}
		best = other
	}
}

// likely tries sets of nodes that are predicted to pass, and returns the smallest that passes.
func (w *searching) likely(ctx context.Context) (best []bool, err error) {
	count := len(w.network.steps)
	kept, factor := w.forced(), tighter
	for {
		t, err := w.try(ctx, kept)
		if err != nil {
			return nil, err
		}
		switch {
		case t.Passes && (best == nil || size(kept) < size(best)):
			best = kept
		case !t.Passes && size(kept) == count:
			return nil, fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond,
				w.target(), t.Reason)
		}
		limits := w.limits(kept)
		for {
			most := count
			if best != nil {
				most = size(best) - 1
			}
			next, ok := w.predicted.smallest(limits, most)
			ok = ok && factor >= tightest
			if best != nil && (!ok || !w.left(w.formsToCheck()+w.reserved(size(best)))) {
				return best, nil
			}
			if !ok || !w.left(w.formsToCheck()+1+w.reserved(size(next))) {
				next = all(count)
			}
			if w.result(next) == nil {
				kept, factor = next, tighter
				break
			}
			if factor < tightest { // next was predicted to pass, but failed
				return nil, fmt.Errorf("%w: no set of float32 nodes is enough to pass: %s", ErrBeyond, t.Reason)
			}
			limits, factor = scaledBy(limits, factor), factor*factor
		}
	}
}

// If a set of nodes fails although it was predicted to pass, the limits on the predicted squared
// errors are multiplied by the factor tighter. After each further failure the factor is squared,
// until it is below tightest.
const (
	tighter  = 0.8
	tightest = 1e-30
)

// left reports whether the search may still take the given number of runs. Once w.thorough is set,
// runs are not limited. If [Repair.Engine] is set, each run needs a build, and builds are always
// limited.
func (w *searching) left(runs int) bool {
	if w.Engine != nil && len(w.tried)+runs > cmp.Or(w.Builds, builds) {
		return false
	}
	return w.thorough || w.runs+runs <= w.most
}

// builds is the default of [Repair.Builds].
const builds = 16
