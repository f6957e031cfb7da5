package precision

import (
	"context"
	"math"
	"slices"
)

// shrink removes nodes from kept, beginning with the node whose predicted error is smallest. The
// model passes with kept; if it fails without a node, shrink puts that node back. It leaves the
// reserved number of runs unused.
func (w *searching) shrink(ctx context.Context, kept []bool, reserved int) ([]bool, error) {
	needed := make([]bool, len(kept)) // nodes without which the model failed
	for w.left(w.formsToCheck() + reserved) {
		at := w.leastOf(kept, needed)
		if at < 0 {
			break
		}
		smaller := slices.Clone(kept)
		smaller[at] = false
		if w.hopeless(kept, smaller) {
			break // all remaining nodes add more error
		}
		t, err := w.try(ctx, smaller)
		if err != nil {
			return nil, err
		}
		if t.Passes {
			kept = smaller
		} else {
			needed[at] = true
		}
	}
	return kept, nil
}

// leastOf returns the kept node that adds the smallest predicted error if it is removed, ignoring
// needed nodes. It returns -1 if there is none.
func (w *searching) leastOf(kept, needed []bool) int {
	least, at := math.Inf(1), -1
	limits, p := w.limits(kept), w.predicted
	errors, lowered := p.errors(kept), p.lowered(kept)
	for j := range kept {
		if !kept[j] || needed[j] {
			continue
		}
		if cost, _ := p.cost(j, lowered, errors, limits); cost < least {
			least, at = cost, j
		}
	}
	return at
}

// hopeless reports whether a set of nodes, kept, is predicted to fail so clearly that it is not
// worth building an engine. tried is a set of nodes whose result calibrates the prediction.
func (w *searching) hopeless(tried, kept []bool) bool {
	return w.Engine != nil && w.result(kept) == nil && !within(w.predicted.errors(kept),
		scaledBy(w.limits(tried), unlikely))
}
