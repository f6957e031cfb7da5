package plots

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Kind is what is drawn of an output.
type Kind uint8

// The kinds.
const (
	// HeatMaps are two pictures that show where the errors lie: heatmap_<output>_absolute.png and
	// heatmap_<output>_relative.png. The last two axes are an image and the others make rows of them;
	// one list is wrapped. What is larger than the picture is reduced by maximum. Colours are on a
	// logarithmic scale.
	HeatMaps Kind = iota
	// Metrics is one picture with six plots, error_metrics_<output>.png: both errors against the
	// magnitude of the reference, the distributions of both, those of the values, and the quantiles
	// of one side against those of the other.
	Metrics
)

// Pattern is what the names of the files of a kind match, for package path/filepath.
func (k Kind) Pattern() string {
	if k == HeatMaps {
		return "heatmap_*.png"
	}
	return "error_metrics_*.png"
}

// Saved is what [Save] did.
type Saved struct {
	Files []string // the pictures, in the order of the outputs
	Notes []string // what was not drawn, and why
}

// Save draws the outputs of comparisons as PNG files into a folder, which it makes. An output whose
// values were not compared (lost, of another shape, or an average) has no picture and a note.
// Several pairs, and several iterations, have their number in the names of the files. It needs the
// tensors: a report that was read from JSON has none.
func Save(folder string, pairs []compare.Pair, kinds ...Kind) (Saved, error) {
	var saved Saved
	write := func(name string, draw func() ([]byte, error)) error {
		picture, err := draw()
		if err == nil {
			err = os.MkdirAll(folder, 0o755)
		}
		path := filepath.Join(folder, name)
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

// fileName is the output's name as part of a file's, on every system: a name that has to be changed
// for that gets a hash, so that two of them stay apart.
func fileName(o compare.Output, pair, pairs int) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r
		}
		return '_'
	}, o.Name)
	const most = 80
	// Upper case alone would not keep two names apart on file systems that fold it.
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

// Draw draws a comparison that failed into a folder, with all kinds, for ginkgoreport.Save.
func Draw(folder string, pair compare.Pair) ([]string, error) {
	saved, err := Save(folder, []compare.Pair{pair}, HeatMaps, Metrics)
	return saved.Files, err
}
