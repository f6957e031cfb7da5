// Package relations compares a model with itself. It makes runs that must agree even if the correct
// outputs are unknown: rows of a batch must give the same result as alone, runs must be repeatable,
// padding must not leak. It needs only one engine, and finds self-contradictions that comparisons
// with a reference miss.
//
//	report, err := relations.Check(ctx, run.Subject(), relations.Options{},
//		relations.Repeat(3), relations.Rows(), relations.Batch())
//
// Runs are compared bit for bit, within a tolerance, or within noise (Options.Rule). Nothing passes
// vacuously: a relation that does not apply, such as [Batch] for a model with a fixed batch, is
// reported as not judged, with a reason and a remedy.
package relations
