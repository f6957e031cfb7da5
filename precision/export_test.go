package precision

import (
	"context"
	"slices"
)

// ComputedIn determines an engine's arithmetic from its run of the integer version of a model.
var ComputedIn = computedIn

// Formats lists every format.
func Formats() []Format { return formats }

// Keeping reports whether a set of nodes, given by their indices in graph order, passes in both
// forms of the model. It is only for results without a [Repair.Engine].
func (r *Repaired) Keeping(ctx context.Context, nodes ...int) (bool, error) {
	kept := make([]bool, len(r.search.network.steps))
	for j, i := range r.search.network.steps {
		kept[j] = slices.Contains(nodes, i)
	}
	for in := range form(r.search.formsToCheck()) {
		t, err := r.search.judged(ctx, kept, in)
		if err != nil || !t.Passes {
			return false, err
		}
	}
	return true, nil
}

// Candidates lists the compute nodes by their indices in graph order. All sets are subsets of
// these nodes.
func (r *Repaired) Candidates() []int { return slices.Clone(r.search.network.steps) }

// Round rounds a number, given in units of its scale, to the nearest number of the format.
func (f Format) Round(v float64) float64 { return f.round(v, 0) }

// BlockScale returns the scale of a block in a tensor with the given largest magnitude.
func (f Format) BlockScale(block []float32, greatest float64) float32 {
	return f.blockScale(block, greatest)
}
