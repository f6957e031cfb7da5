package compare

import "iter"

// ErrorStrip is the errors of some consecutive elements, as [Within] computes them.
type ErrorStrip struct {
	// At is the flat index of the first element, in row-major order.
	At int
	// Abs and Rel are the absolute and relative errors, one for each element. They are the
	// iterator's, and good until it goes on.
	Abs, Rel []float64
}

// EachError gives the errors of all elements in row-major order, strip by strip, in memory that
// does not grow with the tensors. Strings have the error 0 where they are equal, and 1 where they
// differ. It gives nothing where the values were not compared: another shape, a lost output, an
// average, and a report that was read from JSON.
func (o Output) EachError() iter.Seq[ErrorStrip] {
	return func(yield func(ErrorStrip) bool) {
		if len(o.Results) == 0 || o.Actual == nil || o.Expected == nil {
			return
		}
		p, err := pairOf(o.Actual, o.Expected, o.rules)
		if err != nil {
			return
		}
		s := new(scratch) // not from the pool: yield may panic, or keep it for long
		for lo := 0; lo < p.n; lo += strip {
			abs, rel := p.errors64(lo, min(lo+strip, p.n), s)
			if !yield(ErrorStrip{lo, abs, rel}) {
				return
			}
		}
	}
}
