package precision

import (
	"context"
	"math/bits"
	"slices"
)

// way is how a set of nodes is judged: by the model rounded by casts, as if every node stored what
// it makes in the format, or by the one that is delivered, with element types of the format.
// Engines leave casts of that out, and fold weights that were rounded, so that either may fail
// where the other passes. An engine that computes in the format itself judges in place
// of the first.
type way int

const (
	byCasts way = iota
	byTypes
	ways
)

// delivers reports whether another model is delivered than the one that is rounded by casts.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// each is how many runs it takes to judge a set that passes.
func (w *searching) each() int {
	if w.delivers() {
		return int(ways)
	}
	return 1
}

// result is what is known of a set: that it fails, or else what the way gave that judges first, or
// the other one; nil is nothing.
func (w *searching) result(kept []bool) (t *trial) {
	name := key(kept)
	for by := range ways {
		switch one := w.tried[by][name]; {
		case one == nil:
		case !one.Passes:
			return one
		case t == nil || by == w.way:
			t = one
		}
	}
	return t
}

// verified reports whether a set passes in both ways, after it was tried in one. Where the other
// way fails it, that one judges first from now on.
func (w *searching) verified(ctx context.Context, kept []bool) (bool, error) {
	t := w.result(kept)
	if !t.Passes || !w.delivers() || size(kept) == len(kept) {
		return t.Passes, nil
	}
	for by := range ways {
		if w.tried[by][key(kept)] != nil {
			continue
		}
		how := " rounded by casts"
		if by == byTypes {
			how = " with element types of the format"
		}
		t, err := w.judge(ctx, kept, by, how)
		if err != nil {
			return false, err
		}
		if !t.Passes {
			w.way = by
			return false, nil
		}
	}
	return true, nil
}

// farthest is how many of the sets of a path pass in both ways: each has fewer nodes than the one
// before it, and passes in one way. It looks from the end of the path on in ever greater steps,
// because what adds little by itself may as well turn the other way from failing to passing.
func (w *searching) farthest(ctx context.Context, path [][]bool) (int, error) {
	step := 1
	for at, tried := len(path), 0; at > 0; at -= step {
		if ok, err := w.verified(ctx, path[at-1]); ok || err != nil {
			return at, err
		}
		if tried++; tried > 2 && tried%2 == 1 {
			step *= 2
		}
	}
	return 0, nil
}

// checks is how many runs [searching.farthest] takes for so many sets.
func (w *searching) checks(sets int) int {
	if !w.delivers() {
		return 0
	}
	return min(sets, 2*bits.Len(uint(sets)))
}

// choose has sets judged first by the model that is delivered where that clearly errs more with as
// much lowered as can be. An engine that does not take it leaves the choice as it is.
func (w *searching) choose(ctx context.Context, kept []bool) error {
	if !w.delivers() {
		return nil
	}
	t, err := w.judge(ctx, kept, byTypes, " with element types of the format")
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.refused = true
		w.say("%v does not take the model with casts, so it is not verified: %v", w.opened.engine, err)
		return nil // whoever saves the model is told
	}
	if clearly*slices.Min(t.Margins) < slices.Min(w.tried[byCasts][key(kept)].Margins) {
		w.way = byTypes
	}
	return nil
}

// clearly is by how much more the model that is delivered has to err so that it judges first.
const clearly = 1.2
