// Package search looks for inputs on which two engines, or two models, differ. It tries values at
// the limits of their types, of every magnitude, equal, constant, sparse and sorted, all sizes of
// the dynamic dimensions, and changes that increase the error. It shrinks the inputs it finds to
// the smallest that still show the difference.
//
//	found, err := search.Between(ctx, actual.Subject(), expected.Subject(), search.Options{
//		Rule:   compare.Options{Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Max)}},
//		Budget: time.Minute})
//
// [Encode] and [Decode] convert inputs to the bytes of Go's fuzzing corpus and back, for fuzz
// targets and for property-testing libraries that generate bytes.
package search
