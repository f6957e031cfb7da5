package golden

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
)

// Update writes run as the golden file at path if the user asked for it, and says what it did. The
// mode is [Updating]'s; without one nothing is touched, and the change is [Untouched].
//
// A file that o.Holds accepts is kept, so that an update on another processor, or with another
// version of an engine, rewrites nothing whose numbers the spec does not mind. Mode [All] rewrites
// it nevertheless.
//
// Only a run that is complete may come here: a spec that failed, was cancelled or was skipped has
// none. Besides what [Write] refuses, Update refuses to replace a file that was not
// written as a golden file, and to write two different runs to one file in one process: then
// two specs share a name, or a model is not deterministic, and the file would fail one of them. Two
// runs within tolerance, such as those of two engines, share a file: the first that is out of
// tolerance is written, and the other finds it within its own.
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
	old, err := readGolden(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		change.Kind = Created
	case mode == Missing: // a damaged file too: reading it will say so
		return Change{Path: path, Kind: Untouched}, nil
	case IsForeign(err):
		return change, fmt.Errorf("golden: %s: %w", path, err)
	case err != nil:
		// A damaged file is what an update is for; one that the system will not give is not.
		if system := new(fs.PathError); errors.Is(err, errFolder) || errors.As(err, &system) {
			return change, fmt.Errorf("golden: %s: %w", path, err)
		}
		change.Damage = err.Error()
	default:
		change.Moved = moves(run, old)
		if o.Holds != nil && (mode != All || wrote(path)) && o.Holds(old) {
			change.Kind = Kept
		}
	}
	if err := claim(path, run, change.Kind == Kept); err != nil || change.Kind == Kept {
		return change, err
	}
	written, err := write(path, run, o)
	if err == nil && !written {
		change.Kind = Unchanged
	}
	return change, err
}

// claims are the golden files that this process was asked to write, by absolute path.
var claims = struct {
	sync.Mutex
	of map[string]claimed
}{of: map[string]claimed{}}

// claimed is what specs wanted of one file: the checksums of all outputs that it should hold. Where
// there are several, they were within a spec's tolerance of each other, and the file was kept.
type claimed struct {
	sums    [][sha256.Size]byte
	written bool
}

// wrote reports whether this process wrote the file.
func wrote(path string) bool {
	absolute, err := filepath.Abs(path)
	claims.Lock()
	defer claims.Unlock()
	return err == nil && claims.of[absolute].written
}

// claim is an error if the file is to be written although other outputs were asked for before.
func claim(path string, run *backends.Run, kept bool) error {
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
	claims.Lock()
	defer claims.Unlock()
	c := claims.of[absolute]
	if !kept && slices.ContainsFunc(c.sums, func(s [sha256.Size]byte) bool { return s != sum }) {
		return fmt.Errorf("golden: %s was written already, with other outputs: two specs share the "+
			"name, or the run is not the same each time", path)
	}
	if !slices.Contains(c.sums, sum) {
		c.sums = append(c.sums, sum)
	}
	claims.of[absolute] = claimed{c.sums, c.written || !kept}
	return nil
}
