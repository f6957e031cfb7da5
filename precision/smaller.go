package precision

import (
	"cmp"
	"context"
	"slices"
)

const (
	// fewNodes is the greatest number of candidates of which all smaller sets are tried.
	fewNodes = 12
	// unlikely is the ratio of predicted to allowed squared error from which on a set of a small
	// network is not tried. In networks drawn at random no set passed beyond 1.6.
	unlikely = 4
)

// smaller returns a set with fewer nodes than kept that passes, or nil. In a network of at most
// [fewNodes] candidates it tries every smaller set, those with the least predicted error first, as
// long as the prediction does not exclude them. In larger networks it tries nothing.
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
		if _, err := w.try(ctx, one.kept); err != nil {
			return nil, err
		}
		if ok, err := w.verified(ctx, one.kept); ok || err != nil {
			return one.kept, err
		}
	}
	return nil, nil
}
