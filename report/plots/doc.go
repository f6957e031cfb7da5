// Package plots draws the differences of two tensors: heat maps of the errors, errors against the
// magnitude of the reference, distributions, quantiles of one side against the other's, and the
// error along the layers of a model.
//
//	files, err := plots.Save("pictures", pairs, plots.HeatMaps, plots.Metrics)
//
// In a suite, draw failed comparisons together with the saved outputs:
//
//	ReportTo(ginkgoreport.Save("artifacts", plots.Draw))
//
// Errors are defined by package compare ([compare.Output.EachError]). Pictures are drawn for all
// numbers: NaN and infinities have their own colours, zero has a place on logarithmic axes, and
// values that are not drawn are counted. Equal values give identical files.
//
// The package links gonum.org/v1/plot with its fonts, so it is separate from the rest.
package plots
