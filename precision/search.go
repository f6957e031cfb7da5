package precision

import (
	"cmp"
	"context"
	"fmt"
)

// search finds the set of nodes to keep in float32. It starts with the predicted set, corrects the
// prediction after each trial, and then removes nodes one at a time. Then it checks whether keeping
// the first nodes, the last nodes or the nodes that violate a range rule would need fewer nodes.
// Finally it again removes nodes one at a time, until the set fails whichever node is removed next,
// and tries all smaller sets of a small network ([searching.smaller]).
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
	w.guided = cmp.Or(w.guided, w.runs)
	w.thorough = true
	defer func() { w.thorough = false }()
	for { // a set may pass although a larger one failed
		before := size(d.sure)
		best, err := w.shrink(ctx, d, 0)
		switch {
		case err != nil:
			return nil, err
		case size(best) < before:
			continue
		}
		d.sure, err = w.smaller(ctx, best)
		if err == nil && d.sure == nil && w.Engine == nil {
			d.sure, err = w.fewer(ctx, best)
		}
		if err != nil || d.sure == nil {
			return best, err
		}
	}
}

// likely tries sets that are predicted to pass, and searches for the smallest that does pass.
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
			if tighter < closest { // the set was predicted to pass, but failed
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

// If a set fails although it was predicted to pass, the allowed squared errors are multiplied by
// closer, and by smaller factors after each further failure, down to closest.
const (
	closer  = 0.8
	closest = 1e-30
)

// left reports whether at least the given number of runs is left. Once a set is found, only builds
// are limited.
func (w *searching) left(runs int) bool {
	if w.Engine != nil && len(w.tried[w.way])+runs > cmp.Or(w.Builds, builds) {
		return false
	}
	return w.thorough || w.runs+runs <= w.most
}

// builds is the default limit on the sets judged by an engine that needs a build for each set.
const builds = 16
