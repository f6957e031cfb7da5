package cli

import (
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/report/plots"
)

// pictureFlags choose the pictures of a comparison.
var pictureFlags = []arguments.Flag[outputs]{
	writes("--save-heatmaps DIR", ""),
	arguments.Spelled("--show-heatmaps",
		arguments.Set(func(o *outputs) *bool { return &o.show[plots.HeatMaps] })),
	writes("--save-error-metrics-plot DIR", ""),
	arguments.Spelled("--show-error-metrics-plot",
		arguments.Set(func(o *outputs) *bool { return &o.show[plots.Metrics] })),
}

// pictures returns the requested pictures.
func (o *outputs) pictures() plots.Request {
	return plots.Request{Folders: [2]string{plots.HeatMaps: o.Path("--save-heatmaps"),
		plots.Metrics: o.Path("--save-error-metrics-plot")}, Show: o.show}
}
