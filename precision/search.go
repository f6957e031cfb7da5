package precision

import (
	"cmp"
	"context"
	"fmt"
)

// search finds the set: first by prediction, corrected by what each trial measures, then by taking
// nodes out of it one at a time, and at last by whether the first or last nodes, or those that a
// rule of range names, would do with fewer.
func (w *searching) search(ctx context.Context) ([]bool, error) {
	d, err := w.likely(ctx)
	if err != nil {
		return nil, err
	}
	for {
		best, err := w.shrink(ctx, d, w.guards(size(d.last())))
		if err != nil {
			return nil, err
		}
		other, err := w.fewer(ctx, best)
		if err != nil {
			return nil, err
		}
		if other == nil {
			break
		}
		d.sure = other
	}
	for { // no runs are kept any more, and what failed with more nodes may pass with fewer
		before := size(d.sure)
		best, err := w.shrink(ctx, d, 0)
		if err != nil || size(best) == before {
			return best, err
		}
	}
}

// likely descends by sets that are predicted to pass, and do, to the smallest.
func (w *searching) likely(ctx context.Context) (*descent, error) {
	count := len(w.network.steps)
	kept := w.forced()
	if _, err := w.try(ctx, kept); err != nil {
		return nil, err
	}
	if err := w.choose(ctx, kept); err != nil {
		return nil, err
	}
	d := &descent{stride: 1}
	tighter := closer
	for {
		t := w.result(kept)
		if t.Passes && (d.last() == nil || size(kept) < size(d.last())) {
			if d.path = append(d.path, kept); len(d.path) >= d.stride {
				if _, err := d.settle(ctx, w); err != nil {
					return nil, err
				}
			}
		}
		limits := w.limits(kept)
		for {
			best, most := d.last(), count
			keeps := w.each() + w.checks(len(d.path))
			if best != nil {
				most = size(best) - 1
			}
			next, ok := w.predicted.smallest(limits, most)
			if best != nil && (!ok || tighter < closest || !w.left(keeps+w.guards(size(best)))) {
				return d, nil
			}
			if !ok || tighter < closest || !w.left(keeps+1+w.guards(size(next))) {
				next = all(count)
			}
			if w.result(next) == nil {
				kept, tighter = next, closer
				break
			}
			if tighter < closest { // predicted to pass, and it did not
				return nil, fmt.Errorf("%w: no set of nodes passes: %s", ErrBeyond, t.Reason)
			}
			limits, tighter = scaledBy(limits, tighter), tighter*tighter
		}
		t, err := w.try(ctx, kept)
		if err != nil {
			return nil, err
		}
		if size(kept) == count && !t.Passes {
			return nil, fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond,
				w.target(), t.Reason)
		}
	}
}

// Where a prediction was too good, limits are tightened by closer, in squares, and the next time by
// more, up to closest.
const (
	closer  = 0.8
	closest = 1e-30
)

// left reports whether so many runs are left.
func (w *searching) left(runs int) bool {
	if w.Engine != nil && len(w.tried[w.way])+runs > cmp.Or(w.Builds, builds) {
		return false
	}
	return w.runs+runs <= w.network.floating()+spare
}

// builds is how many sets an engine judges that is built for each.
const builds = 16
