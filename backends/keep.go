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
	var entries []tensor.Entry // nil until one is put away
	for at := range i.Outputs.Len() {
		t := i.Outputs.At(at).Tensor
		if !t.InMemory() {
			continue
		}
		if len(r.iterations) == 0 {
			r.keeper.Hold(t.Size())
			continue
		}
		read := r.keeper.Put(t.Bytes())
		if read == nil {
			continue
		}
		if entries == nil {
			for k := range i.Outputs.Len() {
				entries = append(entries, i.Outputs.At(k))
			}
		}
		entries[at].Tensor = t.Stored(read)
	}
	if entries == nil {
		return i
	}
	if set, err := tensor.NewSet(entries...); err == nil { // its names were a set's
		i.Outputs = set
	}
	return i
}
