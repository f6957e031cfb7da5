package precision

import (
	"cmp"
	"context"
	"slices"
)

const (
	// fewNodes is the largest number of compute nodes for which [searching.smaller] does anything.
	fewNodes = 12
	// unlikely is the ratio of predicted to allowed squared error above which it is not worth trying a
	// set of nodes. In random networks, no set with a ratio above 1.6 passed.
	unlikely = 4
)

// smaller looks for a set of nodes that passes and has fewer nodes than kept. It returns nil if it
// finds none. It tries all smaller sets in ascending order of predicted error, except sets whose
// predicted error is far too large ([unlikely]). If the network has more than [fewNodes] compute
// nodes, or if [Repair.Engine] is set, it tries nothing.
func (w *searching) smaller(ctx context.Context, kept []bool) ([]bool, error) {
	if len(kept) > fewNodes || w.Engine != nil {
		return nil, nil
	}
	type candidate struct {
		kept  []bool
		ratio float64
	}
	var list []candidate
	limits := w.limits(kept)
	for set := range 1 << len(kept) {
		one := candidate{kept: make([]bool, len(kept))}
		for j := range kept {
			one.kept[j] = set>>j&1 == 1
		}
		if size(one.kept) >= size(kept) {
			continue
		}
		for o, e := range w.predicted.errors(one.kept) {
			if e > 0 {
				one.ratio = max(one.ratio, e/limits[o])
			}
		}
		if one.ratio <= unlikely {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.ratio, b.ratio) })
	for _, one := range list {
		if t, err := w.try(ctx, one.kept); err != nil || t.Passes {
			return one.kept, err
		}
	}
	return nil, nil
}
