package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// search finds the set: first by prediction, corrected by what each trial measures, then by taking
// nodes out of it one at a time, and at last by whether the first or last nodes, or those that a
// rule of range names, would do with fewer.
func (w *searching) search(ctx context.Context) ([]bool, error) {
	count := len(w.network.steps)
	kept := w.forced()
	t, err := w.try(ctx, kept)
	if err != nil {
		return nil, err
	}
	if t, err = w.harderJudge(ctx, kept, t); err != nil {
		return nil, err
	}
	var best []bool
	limits, tighter := w.limits(kept, t), closer
	for {
		if w.passes(kept, t) && (best == nil || size(kept) < size(best)) {
			best = kept
		}
		most := count
		if best != nil {
			most = size(best) - 1
		}
		next, ok := w.predicted.smallest(limits, most)
		if best != nil && (!ok || !w.left(1+w.guards(size(best)))) {
			break
		}
		if !ok || !w.left(1+w.guards(size(next))) || tighter < closest {
			next = all(count)
		}
		if w.tried[key(next)] != nil { // predicted to pass, and it did not
			if tighter < closest {
				break
			}
			limits, tighter = scaledBy(limits, tighter), tighter*tighter
			continue
		}
		kept, tighter = next, closer
		if t, err = w.try(ctx, kept); err != nil {
			return nil, err
		}
		if size(kept) == count && !t.Passes {
			return nil, fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond,
				w.target(), t.Reason)
		}
		limits = w.limits(kept, t)
	}
	if best == nil {
		return nil, fmt.Errorf("%w: no set of nodes passes: %s", ErrBeyond, t.Reason)
	}
	return w.least(ctx, best)
}

// least goes on from a set that passes to one with as few nodes as runs allow, which passes in the
// other way, too ([searching.verified]).
func (w *searching) least(ctx context.Context, best []bool) ([]bool, error) {
	var sure []bool // it passes in both ways
	for {
		smaller := best
		if w.failures() < manyFailures { // else the runs are for verifying
			var err error
			if smaller, err = w.shrink(ctx, best); err != nil {
				return nil, err
			}
			if best, err = w.fewer(ctx, smaller); err != nil {
				return nil, err
			}
			if best != nil {
				continue
			}
		}
		ok, err := w.verified(ctx, smaller)
		none := errors.Is(err, errRuns)
		switch {
		case sure != nil && (none || err == nil && !ok):
			return sure, nil
		case none:
			return w.everything(ctx)
		case err != nil || ok && (w.held == nil || w.failures() > 0 || w.spends):
			return smaller, err
		case ok: // the runs that were kept for others can make it smaller
			sure, best, w.spends = smaller, smaller, true
			continue
		}
		if best, err = w.next(ctx, smaller); err != nil {
			return nil, err
		}
	}
}

const manyFailures = 2

// Where a prediction was too good, limits are tightened by closer, in squares, and the next time by
// more, up to closest.
const (
	closer  = 0.8
	closest = 1e-30
)

// left reports whether so many runs are left.
func (w *searching) left(runs int) bool {
	if w.Engine != nil && len(w.tried)+runs > cmp.Or(w.Builds, builds) {
		return false
	}
	if w.delivers() {
		runs += deliveries
	}
	return w.runs+runs <= w.network.floating()+spare
}

// builds is how many sets an engine judges that is built for each.
const builds = 16
