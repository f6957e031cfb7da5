package main

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/report/plots"
)

// pictureFlags say what is drawn of the comparisons.
var pictureFlags = []arguments.Flag[outputs]{
	writes("--save-heatmaps DIR", ""),
	arguments.Spelled("--show-heatmaps", shows(plots.HeatMaps)),
	writes("--save-error-metrics-plot DIR", ""),
	arguments.Spelled("--show-error-metrics-plot", shows(plots.Metrics)),
}

// shows opens pictures of a kind.
func shows(kind plots.Kind) func(*outputs, []string) error {
	return arguments.Set(func(o *outputs) *bool { return &o.show[kind] })
}

// folderFlags are the flags with the folders of the kinds of pictures.
var folderFlags = [2]string{plots.HeatMaps: "--save-heatmaps",
	plots.Metrics: "--save-error-metrics-plot"}

// draws reports whether pictures are asked for.
func (o *outputs) draws() bool {
	return o.show != [2]bool{} || o.Path(folderFlags[0]) != "" || o.Path(folderFlags[1]) != ""
}

// draw draws what was compared. Pictures that are only shown lie in a new temporary folder.
func (o *outputs) draw(c *comparison) error {
	for kind, flag := range folderFlags {
		folder, show := o.Path(flag), o.show[kind]
		if folder == "" && show {
			var err error
			if folder, err = os.MkdirTemp("", "modelparity-"); err != nil {
				return fmt.Errorf("%s: %w", flag, err)
			}
		}
		if folder == "" {
			continue
		}
		drawn, err := plots.Save(folder, c.Pairs, plots.Kind(kind))
		c.saved, c.Notes = append(c.saved, drawn.Files...), append(c.Notes, drawn.Notes...)
		if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		if show {
			c.Notes = append(c.Notes, plots.ShowAll(drawn.Files)...)
		}
	}
	return nil
}
