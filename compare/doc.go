// Package compare decides whether two tensors, two sets of outputs or two runs agree, and reports
// how far apart they are.
//
// Work proceeds in three steps: compute, report, print. [Tensors], [Sets] and [Runs] read the
// values once, compute only what the verdict needs, and return a value that holds the facts.
// [Output.Statistics] computes all other numbers on demand; [Report.Text] prints them.
//
// The first argument is always the actual value, which is under test; the second is the expected
// value, which is the reference. Relative errors are relative to the expected value.
//
// # Agreement with Polygraphy
//
// [Within], [Indices], [L2], [CosineSimilarity], [PSNR] and [SNR] are the comparisons of NVIDIA's
// Polygraphy 0.53.6. They give the same verdicts as Polygraphy on every element type that it knows,
// on NaN and infinities, zero references and empty tensors. RATIONALE.md lists every deliberate
// difference, and a test names each. Other element types, other names and other shapes, which
// Polygraphy accepts silently, are refused here unless a switch in [Options] allows them.
//
// # Error and failure
//
// Misuse is an error: a NaN tolerance, an unknown statistic, an option for an output that neither
// side has. Values that differ give a report whose verdict is [Fail]. Nothing passes vacuously: it
// is an error to compare nothing, or to use a check that could not have failed ([Powerless]).
package compare
