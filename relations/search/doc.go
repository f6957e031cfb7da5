// Package search looks for the inputs that part two engines, or two models: values at the borders
// of their types, of every magnitude, equal, constant, sparse and in order, in every size of the
// dynamic dimensions, and whatever drives their error up. It shrinks what it finds to the smallest
// inputs that still part them.
//
//	found, err := search.Between(ctx, actual.Subject(), expected.Subject(), search.Options{
//		Rule:   compare.Options{Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Max)}},
//		Budget: time.Minute})
//
// [Encode] and [Decode] turn inputs into the bytes of Go's fuzzing corpus and back, for specs with
// testing.F and for libraries of properties that draw bytes.
package search
