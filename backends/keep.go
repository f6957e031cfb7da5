package backends

import (
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// keep returns iteration i in the form in which the run stores it. The first iteration stays in
// memory, and so do later iterations until the run takes up 8 MiB. After that, only types and
// shapes stay in memory, and elements are read from a temporary file on access. A run of 10,000
// iterations therefore needs no more memory than one of a few hundred, and can still be read
// repeatedly and in any order.
func (r *Run) keep(i Iteration) Iteration {
	if r.keeper == nil {
		r.keeper = new(spill.Keeper)
	}
	entries, away := make([]tensor.Entry, i.Outputs.Len()), false
	for at := range entries {
		entries[at] = i.Outputs.At(at)
		t := entries[at].Tensor
		entries[at].Tensor = spill.Keep(r.keeper, t, len(r.iterations) == 0)
		away = away || entries[at].Tensor != t
	}
	if set, err := tensor.NewSet(entries...); away && err == nil { // cannot fail: the names are unique
		i.Outputs = set
	}
	return i
}
