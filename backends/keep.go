package backends

import (
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// keep is the iteration as the run holds it. The first one stays in memory, and those after it
// until the run has 32 MiB; of the rest, only what a tensor is stays there, and its elements are
// read from a temporary file whenever somebody looks at them. So a run of 10,000 iterations takes
// the memory of a few hundred, and can still be read twice, in any order.
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
	if set, err := tensor.NewSet(entries...); away && err == nil { // its names were a set's
		i.Outputs = set
	}
	return i
}
