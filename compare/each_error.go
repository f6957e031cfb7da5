package compare

import "iter"

// ErrorStrip holds the errors of some consecutive elements, computed as [Within] computes them.
type ErrorStrip struct {
	// At is the flat index of the first element, in row-major order.
	At int
	// Abs and Rel hold the absolute and the relative error of each element. The iterator reuses
	// their memory, so they are valid only until its next step.
	Abs, Rel []float64
}

// EachError yields the errors of all elements in row-major order, strip by strip. Its memory use
// does not grow with the tensors. The error of two strings is 0 if they are equal and 1 otherwise.
// EachError yields nothing if the values were not compared: for a different shape, a lost output,
// an average, or a report that was read from JSON.
func (o Output) EachError() iter.Seq[ErrorStrip] {
	return func(yield func(ErrorStrip) bool) {
		if len(o.Results) == 0 || o.Actual == nil || o.Expected == nil {
			return
		}
		p, err := pairOf(o.Actual, o.Expected, o.rules)
		if err != nil {
			return
		}
		s := new(scratch) // not from the pool: yield may panic, or hold it for a long time
		for lo := 0; lo < p.n; lo += strip {
			abs, rel := p.errors64(lo, min(lo+strip, p.n), s)
			if !yield(ErrorStrip{lo, abs, rel}) {
				return
			}
		}
	}
}
