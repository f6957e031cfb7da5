// Package search looks for inputs on which two engines, or two models, differ. It tries values of
// every magnitude and at the limits of their types; equal, constant, sparse and sorted values;
// different sizes of the dynamic dimensions; and modifications of the inputs with the largest error
// so far. It shrinks the inputs that it finds as long as the sides still differ.
//
//	found, err := search.Between(ctx, actual.Subject(), expected.Subject(), search.Options{
//		Rule:   compare.Options{Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Max)}},
//		Budget: time.Minute})
//
// [Encode] and [Decode] convert inputs to the bytes of Go's fuzzing corpus and back, for fuzz
// targets and for property-testing libraries that generate bytes.
package search
