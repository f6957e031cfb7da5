package plots

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Kind is a kind of picture.
type Kind uint8

// The kinds of pictures.
const (
	// HeatMaps draws two pictures that show where the errors are: heatmap_<output>_absolute.png and
	// heatmap_<output>_relative.png. The last two axes form an image. There is one image for each
	// index along the other axes, and the images are laid out in a grid. A one-dimensional tensor is
	// split into rows. If a tensor is larger than the picture, each pixel shows the maximum of several
	// elements. The colour scale is logarithmic.
	HeatMaps Kind = iota
	// Metrics draws one picture, error_metrics_<output>.png, with two plots: the absolute and the
	// relative error against the magnitude of the reference.
	Metrics
)

// Saved is the result of [Save].
type Saved struct {
	Files []string // pictures in the order of the outputs
	Notes []string // outputs without a picture, with reasons
}

// Save draws the outputs of comparisons as PNG files in a folder, which it creates if necessary.
// Outputs whose values were not compared (missing, with different shapes, or averaged) get a note
// instead of a picture. If there are several pairs or iterations, file names contain their numbers.
// Reports read from JSON cannot be drawn, because they do not contain the tensors.
func Save(folder string, pairs []compare.Pair, kinds ...Kind) (Saved, error) {
	var saved Saved
	write := func(name string, draw func() ([]byte, error)) error {
		picture, err := draw()
		path := ""
		if err == nil {
			path, err = wholefile.Below(folder, name)
		}
		if err == nil {
			err = wholefile.WriteBytes(path, picture)
		}
		if err == nil {
			saved.Files = append(saved.Files, path)
		}
		return err
	}
	for i, pair := range pairs {
		for _, o := range pair.Report.Outputs {
			if len(o.Results) == 0 || o.Actual == nil || o.Expected == nil {
				saved.Notes = append(saved.Notes, fmt.Sprintf("no picture of %q: its values were not "+
					"compared", o.Name))
				continue
			}
			name := fileName(o, i, len(pairs))
			for _, kind := range kinds {
				var err error
				switch kind {
				case HeatMaps:
					for _, of := range []errors{absolute, relative} {
						if err == nil {
							err = write("heatmap_"+name+"_"+of.String()+".png",
								func() ([]byte, error) { return heatMap(o, of) })
						}
					}
				case Metrics:
					err = write("error_metrics_"+name+".png",
						func() ([]byte, error) { return metrics(o) })
				default:
					err = fmt.Errorf("plots: no kind %d", kind)
				}
				if err != nil {
					return saved, fmt.Errorf("plots: picture of %q: %w", o.Name, err)
				}
			}
		}
	}
	return saved, nil
}

// fileName returns a file name for an output that is valid on all systems. If it differs from the
// output's name, it contains a hash, so that it is unique.
func fileName(o compare.Output, pair, pairs int) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_',
			r == '.':
			return r
		}
		return '_'
	}, o.Name)
	const most = 80
	// Names that differ only in case would collide on some file systems.
	if safe != o.Name || len(safe) > most || safe != strings.ToLower(safe) || safe == "" {
		sum := sha256.Sum256([]byte(o.Name))
		safe = fmt.Sprintf("%s-%x", safe[:min(len(safe), most)], sum[:4])
	}
	if pairs > 1 {
		safe += fmt.Sprintf("_pair%d", pair)
	}
	if o.Iteration > 0 {
		safe += fmt.Sprintf("_iteration%d", o.Iteration)
	}
	return safe
}

// Draw draws all kinds of pictures of a failed comparison into a folder, for ginkgoreport.Save.
func Draw(folder string, pair compare.Pair) ([]string, error) {
	saved, err := Save(folder, []compare.Pair{pair}, HeatMaps, Metrics)
	return saved.Files, err
}
