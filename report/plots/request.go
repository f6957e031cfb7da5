package plots

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/compare"
)

// Request selects the pictures to draw, by kind.
type Request struct {
	Folders [2]string // where to save each kind; "" does not save it
	Show    [2]bool   // see [ShowAll]
}

// Draws reports whether the request selects any picture.
func (r Request) Draws() bool { return r != Request{} }

// Draw draws comparisons like [Save] and opens the pictures to show. Pictures that are only shown
// are kept in a new temporary folder, since viewers may open them later.
func (r Request) Draw(pairs []compare.Pair) (Saved, error) {
	var all Saved
	for _, kind := range []Kind{HeatMaps, Metrics} {
		folder := r.Folders[kind]
		if folder == "" && r.Show[kind] {
			var err error
			if folder, err = os.MkdirTemp("", "modelparity-"); err != nil {
				return all, fmt.Errorf("plots: %w", err)
			}
		}
		if folder == "" {
			continue
		}
		saved, err := Save(folder, pairs, kind)
		all.Files, all.Notes = append(all.Files, saved.Files...), append(all.Notes, saved.Notes...)
		if err != nil {
			return all, err
		}
		if r.Show[kind] {
			all.Notes = append(all.Notes, ShowAll(saved.Files)...)
		}
	}
	return all, nil
}
