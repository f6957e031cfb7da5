package golden

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// A run in mode [Diff] keeps its findings for a review, in a folder outside the source tree:
//
//	files/<sha256>.json    the new content of a golden file, named by its checksum
//	files/<sha256>.data/   the sidecar data of that content
//	entries/<sum>.json     the finding for one golden file, named by a checksum of its path:
//	                       the spec, and the checksums of the file's old and new bytes
//	lock                   locked by a process while it writes
//
// A later run replaces the entries of the files that it compares. The folder may come from an
// untrusted build, so an entry holds no numbers: a review computes them from the two files. To
// accept a change, both files must still have the checksums in the entry.

// entry stores what a test run found for one golden file.
type entry struct {
	Format int     `json:"format"`
	File   string  `json:"file"`         // from the module's root, with slashes
	Was    string  `json:"was"`          // sha256 of the golden file's bytes, "" if it is missing
	Is     string  `json:"is,omitempty"` // sha256 of the new content; "" if nothing changes
	Change request `json:"change"`
}

// request stores what a review cannot compute from the old and the new golden file: who requested
// the change, and the spec's tolerance. Kind is [Kept] if the run matches the old file within that
// tolerance.
type request struct {
	Kind      ChangeKind `json:"kind"`
	By        string     `json:"by,omitempty"`
	Tolerance string     `json:"tolerance,omitempty"`
}

const entryFormat = 1

// propose adds the update to the review folder instead of writing the golden file.
func (p *Pending) propose() error {
	root := goldentree.Root(".")
	file, err := filepath.Rel(root, wholefile.Unlinked(p.Change.Path))
	e := entry{Format: entryFormat, File: filepath.ToSlash(file), Was: p.was,
		Change: request{p.Change.Kind, p.Change.By, p.Change.Tolerance}}
	if err == nil {
		err = e.sound()
	}
	if err != nil {
		return fmt.Errorf("%s cannot be reviewed: %w; run with -golden.update to write it",
			p.Change.Path, err)
	}
	folder, err := goldentree.ReviewFolder(root)
	if err != nil {
		return err
	}
	return locked(folder, func() error {
		before, _ := readEntry(e.path(folder)) // an unreadable entry is replaced
		if p.Change.Kind.writes() || p.Change.furthest() != "no output moved" {
			if e.Is, err = p.keepIn(filepath.Join(folder, "files")); err != nil {
				return err
			}
			if e.Is == e.Was { // another process wrote it already
				e.Is = ""
			}
		}
		text, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			return err
		}
		if err := overwritable(e.path(folder)); err != nil {
			return err
		}
		if err := wholefile.WriteBytes(e.path(folder), append(text, '\n')); err != nil {
			return err
		}
		return forget(folder, before.Is)
	})
}

// forget removes the candidate (the new content of a golden file) with the given checksum, unless
// an entry still refers to it.
func forget(folder, sum string) error {
	if sum == "" {
		return nil
	}
	for _, name := range entriesIn(folder) {
		if e, err := readEntry(name); err != nil || e.Is == sum {
			return nil //nolint:nilerr // an unreadable entry may refer to it
		}
	}
	at := kept(filepath.Join(folder, "files"), sum)
	return errors.Join(wholefile.Remove(at), os.RemoveAll(runfile.DataFolder(at)))
}

// locked creates the folders of a review and calls work while it holds the review's lock.
func locked(folder string, work func() error) error {
	for _, below := range []string{"files", "entries"} {
		if err := os.MkdirAll(filepath.Join(folder, below), 0o755); err != nil {
			return err
		}
	}
	for _, below := range []string{"files", "entries", "lock", goldentree.SummaryName} {
		if err := overwritable(filepath.Join(folder, below)); err != nil {
			return err
		}
	}
	return filelock.With(context.Background(), filepath.Join(folder, "lock"), work)
}

// overwritable returns an error for a link or a device: a write to it would change something
// outside the review folder.
func overwritable(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s is a link or a device, which a review folder must not contain: delete it",
			path)
	}
	return nil
}

// path returns the path of the entry's file in the review folder.
func (e entry) path(folder string) string {
	sum := sha256.Sum256([]byte(e.File))
	return filepath.Join(folder, "entries", hex.EncodeToString(sum[:8])+".json")
}

// keepIn writes the golden file's new content and its sidecar data to the folder, and returns
// the checksum of the new content.
func (p *Pending) keepIn(folder string) (sum string, err error) {
	draft, err := os.MkdirTemp(folder, "draft")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(draft) //nolint:errcheck // it is empty after success
	path := filepath.Join(draft, "draft.json")
	if _, err := write(path, p.head, runnerOf(p.Change.Path, p.run), p.o.Layout); err != nil {
		return "", err
	}
	if sum, err = regular.Sum(path); err != nil {
		return "", err
	}
	at := kept(folder, sum)
	if err := os.RemoveAll(runfile.DataFolder(at)); err != nil {
		return "", err
	}
	err = os.Rename(runfile.DataFolder(path), runfile.DataFolder(at))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // most files have no sidecar data
		return "", err
	}
	return sum, os.Rename(path, at)
}

// kept returns the path in folder of the candidate whose checksum is sum. A candidate is the new
// content for a golden file.
func kept(folder, sum string) string { return filepath.Join(folder, sum+".json") }

// State is the result of a review for one golden file.
type State string

// The states of a golden file in a review.
const (
	Holds    State = "holds"    // the run matches the file, and no output changed
	Moved    State = "moved"    // the run matches the file within the spec's tolerance
	Differs  State = "differs"  // the run does not match the file
	Accepted State = "accepted" // the file already contains the new run
	Stale    State = "stale"    // the file changed after the run, to something else
	Unjudged State = "unjudged" // no spec of a run used the file
)

// Proposal describes what a review found for one golden file.
type Proposal struct {
	File  string `json:"file"` // relative to the working directory if possible
	State State  `json:"state"`
	// Change describes the effect of accepting the proposal, computed from the two files; it is nil
	// if nothing would change.
	Change *Change `json:"change,omitempty"`
	// Remedy says what to do about a file that is [Stale].
	Remedy string `json:"remedy,omitempty"`

	entry  entry
	path   string // absolute
	folder string // the review folder
}

// Review returns what runs in mode [Diff] found for the golden files under paths, sorted by path,
// including the golden files that no run used. A path is a file or a folder; "/..." after a folder
// is ignored.
//
// It is an error if a path does not exist and no run has compared a golden file under it, or if the
// review folder cannot be read. Review reads every file that would change; canceling ctx stops it.
func Review(ctx context.Context, paths ...string) (all []Proposal, err error) {
	found := map[string]bool{}
	for _, path := range goldentree.Placed(paths) {
		root := goldentree.Root(path)
		folder, err := goldentree.ReviewFolder(root)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		entries, err := readEntries(folder)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		met := false
		for _, e := range entries {
			at := filepath.Join(root, filepath.FromSlash(e.File))
			if !within(wholefile.Unlinked(path), at) {
				continue
			}
			if met = true; found[at] {
				continue
			}
			found[at] = true
			p, err := e.proposal(ctx, folder, at)
			if err != nil {
				return nil, fmt.Errorf("golden: %w", located.In(p.File, err))
			}
			all = append(all, p)
		}
		files, err := goldentree.Files(path)
		if err != nil && !(met && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		for _, file := range files {
			if at := wholefile.Unlinked(file); !found[at] {
				found[at] = true
				all = append(all, Proposal{File: file, State: Unjudged, path: at, folder: folder})
			}
		}
	}
	slices.SortFunc(all, func(a, b Proposal) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// within reports whether path is folder or below it.
func within(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inside)
}

// readEntries reads the entries of a review. A missing review has none.
func readEntries(folder string) (all []entry, err error) {
	of := map[string]string{}
	for _, name := range entriesIn(folder) {
		e, err := readEntry(name)
		if err != nil {
			return nil, err
		}
		file := strings.ToLower(e.File) // some file systems ignore case
		if other := of[file]; other != "" {
			return nil, fmt.Errorf("%s and %s both describe %s; %s", other, name, e.File, again)
		}
		of[file], all = name, append(all, e)
	}
	return all, nil
}

// entriesIn returns the paths of the entries in a review folder.
func entriesIn(folder string) (paths []string) {
	folder = filepath.Join(folder, "entries")
	files, _ := os.ReadDir(folder) // a missing review has no entries
	for _, file := range files {
		if filepath.Ext(file.Name()) == ".json" {
			paths = append(paths, filepath.Join(folder, file.Name()))
		}
	}
	return paths
}

// mostOfEntry is the maximum size of an entry in bytes.
const mostOfEntry = 1 << 20

func readEntry(path string) (e entry, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostOfEntry {
		return entry{}, fmt.Errorf("%s is not a review entry; %s", path, again)
	}
	text, err := regular.Read(path)
	if err != nil {
		return entry{}, err
	}
	if err = json.Unmarshal(text, &e); err == nil {
		err = e.sound()
	}
	if err != nil {
		return entry{}, located.In(path, err)
	}
	return e, nil
}

// sound rejects entries that modelparity cannot have written. For example, it rejects a file
// outside the folders that [goldentree.Files] searches, and a file name that golden files may not
// have.
func (e entry) sound() error {
	name, isJSON := strings.CutSuffix(e.File, ".json")
	_, inside := goldentree.Split("/" + e.File)
	switch {
	case e.Format != entryFormat:
		return fmt.Errorf("the entry has format %d, but this modelparity reads format %d", e.Format,
			entryFormat)
	case !isJSON || inside == "" || goldentree.Unsuitable(name) != "" ||
		slices.Contains(strings.Split(name, "/"), "node_modules"):
		return fmt.Errorf("%q cannot be a golden file: golden files are in folders named %s", e.File,
			goldentree.Folder)
	case e.Is != "" && !runfile.IsSum(e.Is) || e.Was != "" && !runfile.IsSum(e.Was):
		return errors.New("a checksum in the entry is not a SHA-256")
	}
	return nil
}
