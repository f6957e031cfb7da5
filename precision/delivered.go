package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// Sets are judged by the model rounded by casts, as if every node stored what it makes in the
// format, and by the one that is delivered, with element types of the format: engines leave casts
// of that out, and fold weights that were rounded, so that either may fail where the other passes.

// deliveries is how many runs are kept for verifying the model that is delivered.
const deliveries = 2

// retries is how many runs are kept for others where a set fails in the other way: fewer each time.
func (w *searching) retries() int {
	if !w.delivers() || w.spends {
		return 0
	}
	return max(leastRetries, retries-w.failures())
}

const retries, leastRetries = 6, 3

// failures is how many sets failed in the other way.
func (w *searching) failures() (n int) {
	for _, held := range w.held {
		if !held {
			n++
		}
	}
	return n
}

// delivers reports whether another model is delivered than the one that is judged.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// margin is by what the differences of an output could grow, as it is delivered.
func (w *searching) margin(t *trial, output int) float64 {
	if w.harder == nil {
		return t.Margins[output]
	}
	return t.Margins[output] / w.harder[output]
}

// passes reports whether a set passes, and was not seen to fail in the other way.
func (w *searching) passes(kept []bool, t *trial) bool {
	held, verified := w.held[key(kept)]
	return t.Passes && (held || !verified)
}

// errRuns says that no run is left to verify a set.
var errRuns = errors.New("no run is left")

// verified runs and judges a set in the other of the two ways, once. What it shows of one that does
// not hold corrects the prediction.
func (w *searching) verified(ctx context.Context, kept []bool) (bool, error) {
	switch {
	case !w.delivers() || size(kept) == len(kept) || w.held[key(kept)]:
		return true, nil
	case w.runs+2 > w.network.floating()+spare: // one is for all nodes
		return false, errRuns
	}
	w.runs++
	if w.held == nil {
		w.held = map[string]bool{}
	}
	outputs, err := w.runCasts(ctx, w.network.keep(kept), !w.typed)
	if err != nil {
		return false, err
	}
	own, report, err := margins(w.names, outputs, w.expected, w.Rule)
	if err != nil {
		return false, err
	}
	if report.Verdict == compare.Pass {
		w.held[key(kept)] = true
		return true, nil
	}
	w.held[key(kept)] = false
	t := w.tried[key(kept)]
	if w.harder == nil {
		w.harder = slices.Repeat([]float64{1}, len(own))
	}
	for o, m := range own {
		if m < 1 {
			w.harder[o] = max(w.harder[o], min(t.Margins[o], mostHarder)/max(m, 1/mostHarder))
		}
	}
	as := "with element types of the format"
	if w.typed {
		as = "rounded by casts"
	}
	w.say("%d of %d nodes in float32: fails %s", size(kept), len(kept), as)
	return false, nil
}

// harderJudge chooses what sets are judged by, of the model rounded by casts and the one that is
// delivered: the latter where it clearly errs more with as much lowered as can be. The other one
// verifies. An engine that does not take the model that is delivered leaves the choice as it is.
func (w *searching) harderJudge(ctx context.Context, kept []bool, t *trial) (*trial, error) {
	if w.Engine != nil || w.format != FP16 {
		return t, nil
	}
	w.runs++
	outputs, err := w.runCasts(ctx, w.network.keep(kept), true)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		w.refused = true
		w.say("%v does not take the model with casts, so it is not verified: %v", w.opened.engine, err)
		return t, nil // whoever saves the model is told
	}
	other := &trial{Errors: t.Errors}
	other.Margins, other.report, err = margins(w.names, outputs, w.expected, w.Rule)
	if err != nil {
		return nil, err
	}
	other.Passes, other.Reason = other.report.Verdict == compare.Pass, other.report.Reason
	if clearly*slices.Min(other.Margins) >= slices.Min(t.Margins) {
		return t, nil
	}
	w.typed = true
	w.tried[key(kept)] = other
	return other, nil
}

// clearly is by how much more the model that is delivered has to err so that it judges.
const clearly = 1.2

// mostHarder bounds by what margins are divided.
const mostHarder = float64(1 << mostMargin)

// next is the set to go on with in place of one that failed in the other way: of those tried that
// pass, the smallest first, and then in ever greater steps a larger one; or where there is none,
// one that is predicted to pass, and does; or all nodes.
func (w *searching) next(ctx context.Context, failed []bool) ([]bool, error) {
	if all := w.passing(len(failed)); len(all) > 0 {
		step := max(0, 1<<min(w.failures()-1, 16)-2)
		if !w.left(1) {
			step = len(all) // it is the last that can be verified
		}
		return all[min(step, len(all)-1)], nil
	}
	limits := w.limits(failed, w.tried[key(failed)])
	for tightened := 0; tightened < mostTightened && w.left(1); {
		kept, ok := w.predicted.smallest(limits, len(failed))
		if !ok {
			break
		}
		if w.tried[key(kept)] != nil {
			limits, tightened = scaledBy(limits, slightly), tightened+1
			continue
		}
		t, err := w.try(ctx, kept)
		if err != nil || w.passes(kept, t) {
			return kept, err
		}
		limits = w.limits(kept, t)
	}
	return w.everything(ctx)
}

// Where a set is predicted that was tried, limits are tightened slightly, in squares, so often at
// most.
const (
	slightly      = 0.9
	mostTightened = 200
)

// passing are the sets tried that pass, the smaller first.
func (w *searching) passing(count int) (list [][]bool) {
	for _, name := range slices.Sorted(maps.Keys(w.tried)) {
		kept := make([]bool, count)
		for j := range kept {
			kept[j] = name[j] == 'x'
		}
		if w.passes(kept, w.tried[name]) {
			list = append(list, kept)
		}
	}
	slices.SortStableFunc(list, func(a, b []bool) int { return cmp.Compare(size(a), size(b)) })
	return list
}

// everything is all nodes, judged.
func (w *searching) everything(ctx context.Context) ([]bool, error) {
	kept := all(len(w.network.steps))
	t, err := w.try(ctx, kept)
	if err == nil && !t.Passes {
		err = fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond, w.target(),
			t.Reason)
	}
	return kept, err
}
