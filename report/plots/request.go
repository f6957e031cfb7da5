package plots

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/compare"
)

// Request is the pictures that somebody asks for, by their kind.
type Request struct {
	Folders [2]string // where each kind is saved; "" is nowhere
	Show    [2]bool   // see [ShowAll]
}

// Draws reports whether the request asks for anything.
func (r Request) Draws() bool { return r != Request{} }

// Draw draws comparisons as [Save] does, and opens what is to be shown. Pictures that are only
// shown lie in a new temporary folder, where they stay: the viewer may open them later.
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
