package golden

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/backends"
)

// Update writes run as the golden file at path if the user asked for it, and says what it did. The
// mode is [Updating]'s; without one nothing is touched, and the change is [Untouched].
//
// Only a run that is complete may come here: a spec that failed, was cancelled or was skipped has
// none. Besides what [Write] refuses, Update refuses to replace a file of several runs, which
// nobody wrote as a golden file, and to write two different runs to one file in one process: then
// two specs share a name, or a model is not deterministic, and the file would fail one of them.
func Update(path string, run *backends.Run, o Options) (Change, error) {
	mode, err := Updating()
	if err != nil || mode == Off {
		return Change{Path: path, Kind: Untouched}, err
	}
	if err := sound(run, o); err != nil {
		return Change{Path: path, Kind: Untouched}, fmt.Errorf("golden: %s: %w", path, err)
	}
	use(path)
	change := Change{Path: path, Kind: Rewritten}
	runs, _, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		change.Kind = Created
	case mode == Missing: // a damaged file too: reading it will say so
		return Change{Path: path, Kind: Untouched}, nil
	case err != nil:
		// A damaged file is what an update is for; one that the system will not give is not.
		if system := new(fs.PathError); errors.Is(err, errFolder) || errors.As(err, &system) {
			return change, fmt.Errorf("golden: %s: %w", path, err)
		}
		change.Damage = err.Error()
	case len(runs) > 1:
		return change, fmt.Errorf("golden: %s: it holds %d runs, so it was not written as a golden "+
			"file; delete it to write one in its place", path, len(runs))
	case len(runs) == 1:
		change.Moved = moves(run, runs[0].Run)
	}
	if err := claim(path, run); err != nil {
		return change, err
	}
	written, err := write(path, run, o)
	if err == nil && !written {
		change.Kind = Unchanged
	}
	return change, err
}

// claims are the files that this process wrote, with the checksum of their data.
var claims sync.Map // absolute path → [32]byte

// claim is an error if this process wrote other data to path before.
func claim(path string, run *backends.Run) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("golden: %s: %w", path, err)
	}
	h := sha256.New()
	for _, set := range run.Outputs() {
		for name, t := range set.All() {
			fmt.Fprintf(h, "%q %v %v %s\n", name, t.ElementType(), t.Shape(), checksum(t))
		}
	}
	sum := [sha256.Size]byte(h.Sum(nil))
	if before, claimed := claims.LoadOrStore(absolute, sum); claimed && before != sum {
		return fmt.Errorf("golden: %s was written already, with other outputs: two specs share the "+
			"name, or the run is not the same each time", path)
	}
	return nil
}
