// Package relations compares a model with itself. It makes runs that must agree, whatever the
// correct outputs are: a row must give the same result alone and in a batch, repeated runs must
// agree, and padding must not affect results. It needs only one engine, and finds contradictions
// that a comparison with a reference does not show.
//
//	report, err := relations.Check(ctx, run.Subject(), relations.Options{},
//		relations.Repeat(3), relations.Rows(), relations.Batch())
//
// Runs are compared bit for bit, within a tolerance, or within noise (Options.Rule). A relation
// that does not apply, such as [Batch] for a model with a fixed batch, does not pass: it is
// reported as not judged, with a reason and a remedy.
package relations
