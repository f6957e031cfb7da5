package precision

import (
	"context"
	"math/bits"
	"slices"
)

// way is a method of judging a set of nodes that stay in float32. byCasts judges the model rounded
// by casts, in which every lowered node in effect stores its outputs in the format. byTypes judges
// the delivered model, in which the tensors of lowered nodes have the format's element type.
// Engines drop some casts of the delivered model and fold rounded weights, so a set can pass by one
// method and fail by the other. If an engine computes in the format itself, that engine judges
// instead of byCasts.
type way int

const (
	byCasts way = iota
	byTypes
	ways
)

// delivers reports whether the delivered model differs from the model rounded by casts.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// each returns the number of runs that it takes to judge a set that passes.
func (w *searching) each() int {
	if w.delivers() {
		return int(ways)
	}
	return 1
}

// result returns the known result of a set: preferably a failing result, then the result by w.way,
// then the result by the other method. It returns nil if the set has not been tried.
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

// verified reports whether a set that passed by one method also passes by the other. If the set
// fails by the other method, w.way becomes that method.
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

// farthest takes a path of smaller and smaller sets, each of which passes by one method, and looks
// for the smallest set that passes by both. It returns the length of the path up to that set, or 0.
// It searches from the end of the path, in growing steps, because passing and failing sets can
// alternate if each node adds little error.
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

// checks returns the largest number of runs that [searching.farthest] takes for a path of the given
// number of sets.
func (w *searching) checks(sets int) int {
	if !w.delivers() {
		return 0
	}
	return min(sets, 2*bits.Len(uint(sets)))
}

// choose lowers as many nodes as possible and compares the errors that the two methods find. If the
// error of the delivered model is clearly larger, the delivered model is judged first from then on.
// If the engine rejects the delivered model, only the other method is used.
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
		return nil // saving the model reports the error
	}
	if clearly*slices.Min(t.Margins) < slices.Min(w.tried[byCasts][key(kept)].Margins) {
		w.way = byTypes
	}
	return nil
}

// clearly is the factor from which the delivered model's error counts as clearly larger than the
// error by the other method, so that the delivered model is judged first.
const clearly = 1.2
