// Package compare decides whether two tensors, two sets of outputs or two runs agree, and says how
// far they are apart.
//
// The way through the package is compute → report → print. [Tensors], [Sets] and [Runs] read the
// values once, compute what the verdict needs and nothing else, and return a value that holds the
// facts. [Output.Statistics] computes the rest on demand; [Report.Text] prints it.
//
// The first argument is always the actual value, under test, and the second the expected one, the
// reference. Relative errors divide by the expected value.
//
// # Agreement with Polygraphy
//
// [Within], [Indices], [L2], [CosineSimilarity], [PSNR] and [SNR] are the comparisons of NVIDIA's
// Polygraphy 0.53.6 and give its verdicts, on every element type it knows, on NaN and infinities,
// zero references and empty tensors. Where modelparity differs on purpose, RATIONALE.md lists the
// case and a test names it. What Polygraphy accepts in silence is strict here, each with a switch
// in [Options] back to it: other element types, other names, other shapes.
//
// # Error and failure
//
// Misuse is an error: a NaN tolerance, an unknown statistic, an option for an output that neither
// side has.
// Values that differ are a report whose verdict is [Fail]. Nothing passes vacuously: a comparison
// of nothing is an error, and so is a check that could not have failed ([Powerless]).
package compare
