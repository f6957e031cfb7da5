// Package relations holds a model to itself: runs that must agree whatever the right numbers are.
// Rows of a batch must give what they give alone, a run must repeat, padding must not leak. Nothing
// but an engine is needed, so it finds what no reference and no tolerance shows: an engine that
// contradicts itself.
//
//	report, err := relations.Check(ctx, run.Subject(), relations.Options{},
//		relations.Repeat(3), relations.Rows(), relations.Batch())
//
// Runs are compared bit for bit, within a tolerance, or within noise (Options.Rule). Nothing passes
// vacuously: a relation that does not apply, such as that of a batch for a model whose batch is
// fixed, is not judged, and says why and what to do.
package relations
