// Package plots draws how two tensors differ: heat maps of the errors, the errors against the
// magnitude of the reference, their distributions, the quantiles of one side against those of the
// other, and the error along the layers of a model.
//
//	files, err := plots.Save("pictures", pairs, plots.HeatMaps, plots.Metrics)
//
// A suite has them drawn for what fails, beside the saved outputs:
//
//	ReportTo(ginkgoreport.Save("artifacts", plots.Draw))
//
// Errors are those of package compare ([compare.Output.EachError]). Whatever the numbers are, there
// is a picture: NaN and infinities have colours of their own, zero has a place of its own on
// logarithmic axes, and what is not drawn is counted. The same values give the same bytes.
//
// The package links gonum.org/v1/plot with its fonts, so only who imports it carries them.
package plots
