// Package plots draws the differences between two tensors: heat maps of the errors, and errors
// against the magnitude of the reference.
//
//	files, err := plots.Save("pictures", pairs, plots.HeatMaps, plots.Metrics)
//
// In a suite, draw failed comparisons and save them together with the outputs:
//
//	ReportTo(ginkgoreport.Save("artifacts", plots.Draw))
//
// Package compare defines the errors ([compare.Output.EachError]). All numbers can be drawn: NaN
// and infinities have their own colours, zero has a place on logarithmic axes, and values that
// cannot be drawn are counted. Equal values give identical files.
//
// The package links gonum.org/v1/plot and its fonts, so other packages of modelparity do not import
// it.
package plots
