package precision

import (
	"context"
	"math/bits"
	"slices"
)

// way is a method of judging a set of nodes: by the model rounded by casts, as if every node stored
// its outputs in the format, or by the delivered model, which has element types of the format.
// Engines drop some of the latter's casts and fold rounded weights, so either can fail if the other
// passes. An engine that computes in the format itself replaces the first way.
type way int

const (
	byCasts way = iota
	byTypes
	ways
)

// delivers reports whether the delivered model differs from the model rounded by casts.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// each returns the number of runs that judging a passing set takes.
func (w *searching) each() int {
	if w.delivers() {
		return int(ways)
	}
	return 1
}

// result returns the known result of a set: a failure if there is one, otherwise the result of the
// way that judges first, or of the other way; nil if the set was not tried.
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

// verified reports whether a set passes in both ways, after it passed in one. If it fails in the
// other way, that way judges first from now on.
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

// farthest returns how many sets of a path pass in both ways. Each set has fewer nodes than its
// predecessor, and passes in one way. The search goes back from the end of the path in growing
// steps, because passing and failing can alternate when each node adds little.
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

// checks returns how many runs [searching.farthest] takes for this many sets.
func (w *searching) checks(sets int) int {
	if !w.delivers() {
		return 0
	}
	return min(sets, 2*bits.Len(uint(sets)))
}

// choose makes the delivered model judge first if its error is clearly larger with as much lowered
// as possible. If the engine rejects that model, nothing changes.
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
		w.say("%v rejects the model with casts, so it is not verified: %v", w.opened.engine, err)
		return nil // saving the model reports it
	}
	if clearly*slices.Min(t.Margins) < slices.Min(w.tried[byCasts][key(kept)].Margins) {
		w.way = byTypes
	}
	return nil
}

// clearly is the ratio of errors from which on the delivered model judges first.
const clearly = 1.2
