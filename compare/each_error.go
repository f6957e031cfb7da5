package compare

import "iter"

// EachError yields the absolute and the relative errors of all elements, as [Within] computes them.
// It yields them in short slices, in row-major order. A slice is valid only until the next step of
// the loop, because later steps reuse its memory. The error of two strings is 0 if they are equal
// and 1 otherwise. EachError yields nothing if the values were not compared, for example because
// the tensors differ in shape or because the output is missing on one side. It also yields nothing
// if the output is averaged over the iterations, or if the report was read from JSON.
func (o Output) EachError() iter.Seq2[[]float64, []float64] {
	return func(yield func(abs, rel []float64) bool) {
		p, ok := o.pair()
		if !ok {
			return
		}
		s := new(scratch) // not from the pool: yield may panic, or hold it for a long time
		for lo := 0; lo < p.n; lo += chunk {
			if !yield(p.errors64(lo, min(lo+chunk, p.n), s)) {
				return
			}
		}
	}
}
