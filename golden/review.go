package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// A run in mode [Diff] keeps what it found in a folder outside the tree, for a review:
//
//	files/<sha256>.json     what a golden file would hold, named by its own checksum
//	files/<sha256>.data/    its data that is not in it, also what belongs in a store
//	entries/<of path>.json  what was found of one golden file: how far it moved, by which spec, and
//	                        the checksums of the old bytes and of the new ones
//	lock                    for the processes that write
//
// A later run replaces the entries of the files that it judges. Nothing is accepted whose bytes are
// not those of the entry, on either side.

// EnvReview names the folder, such as one that CI keeps as an artifact. Unset, it is one for each
// module in the user's cache.
const EnvReview = "MODELPARITY_REVIEW"

// entry is what a run found of one golden file.
type entry struct {
	Format int    `json:"format"`
	File   string `json:"file"`         // from the module's root, with slashes
	Was    string `json:"was"`          // sha256 of the golden file's bytes, "" where it is missing
	Is     string `json:"is,omitempty"` // of what it would hold; "" where it holds that already
	Change Change `json:"change"`
}

const entryFormat = 1

// tree is the folder that the paths of a review start from, without links: the module's root, or
// the folder itself outside any module.
func tree(folder string) string {
	folder = unlinked(folder)
	if root := moduleRoot(folder); root != "" {
		return root
	}
	return folder
}

// reviewFolder is where the review of a tree lies.
func reviewFolder(root string) (string, error) {
	if folder := os.Getenv(EnvReview); folder != "" {
		return filepath.Abs(folder)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep a review in: %w; name one with %s", err, EnvReview)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, "modelparity", "review", hex.EncodeToString(sum[:8])), nil
}

// propose keeps what the update would do.
func (p *Pending) propose() error {
	root := tree(".")
	file, err := filepath.Rel(root, unlinked(p.change.Path))
	if err != nil || !filepath.IsLocal(file) {
		return fmt.Errorf("%s: lies outside of %s, so its change cannot be reviewed; run with "+
			"-golden.update to write it", p.change.Path, root)
	}
	folder, err := reviewFolder(root)
	if err != nil {
		return err
	}
	e := entry{Format: entryFormat, File: filepath.ToSlash(file), Was: p.was, Change: p.change}
	e.Change.Path = e.File
	return locked(folder, func() error {
		before, _ := readEntry(e.path(folder)) // one that cannot be read is replaced
		if p.change.Kind.writes() || p.change.furthest() != "no output moved" {
			if e.Is, err = p.keepIn(filepath.Join(folder, "files")); err != nil {
				return err
			}
			if e.Is == e.Was { // as another process wrote it
				e.Is = ""
			}
		}
		text, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			return err
		}
		if err := wholefile.WriteBytes(e.path(folder), append(text, '\n')); err != nil {
			return err
		}
		return forget(folder, before.Is)
	})
}

// forget removes a file that no entry speaks of any more.
func forget(folder, sum string) error {
	if sum == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(escaped(folder), "entries", "*.json"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if e, err := readEntry(name); err != nil || e.Is == sum {
			return nil //nolint:nilerr // whose it is cannot be told
		}
	}
	at := kept(filepath.Join(folder, "files"), sum)
	return errors.Join(wholefile.Remove(at), os.RemoveAll(dataFolder(at)))
}

// locked makes a review's folders and does what changes it.
func locked(folder string, do func() error) error {
	for _, below := range []string{"files", "entries"} {
		if err := os.MkdirAll(filepath.Join(folder, below), 0o755); err != nil {
			return err
		}
	}
	return filelock.With(filepath.Join(folder, "lock"), do)
}

// path is where the entry lies.
func (e entry) path(folder string) string {
	sum := sha256.Sum256([]byte(e.File))
	return filepath.Join(folder, "entries", hex.EncodeToString(sum[:8])+".json")
}

// keepIn writes what the golden file would hold, with its data, and gives its checksum.
func (p *Pending) keepIn(folder string) (sum string, err error) {
	draft, err := os.MkdirTemp(folder, "draft")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(draft) //nolint:errcheck // it is empty where all took its place
	path, h, l := filepath.Join(draft, "draft.json"), p.head.cloned(), p.o.Layout
	to := &placing{folder: dataFolder(path), in: l.place(), known: headAt(p.change.Path).all(),
		at: dataFolder(p.change.Path)}
	if err := h.layOut(p.run, l, to.keep); err != nil {
		return "", err
	}
	if err := wholefile.Write(path, func(w io.Writer) error {
		return writeResults(w, h, []Named{{Name: nameOf(p.change.Path), Run: p.run}})
	}); err != nil {
		return "", err
	}
	if sum, err = sumOfFile(path); err != nil {
		return "", err
	}
	at := kept(folder, sum)
	if len(h.blobs()) > 0 {
		if err := os.RemoveAll(dataFolder(at)); err != nil {
			return "", err
		}
		if err := os.Rename(to.folder, dataFolder(at)); err != nil {
			return "", err
		}
	}
	return sum, os.Rename(path, at)
}

// kept is the file of that content.
func kept(folder, sum string) string { return filepath.Join(folder, sum+".json") }

// sumOfFile is the checksum of a file's bytes.
func sumOfFile(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// State is what a review says of one golden file.
type State string

// The states.
const (
	Holds    State = "holds"    // the run holds to it, and nothing moved
	Moved    State = "moved"    // the run holds to it within the spec's tolerance
	Differs  State = "differs"  // the run does not hold to it
	Accepted State = "accepted" // it holds the new run by now
	Stale    State = "stale"    // it changed after the run, to something else
	Unjudged State = "unjudged" // no spec of a run asked for it
)

// Proposal is what a review says of one golden file.
type Proposal struct {
	File  string `json:"file"` // from the working directory, where it can be said so
	State State  `json:"state"`
	// Change is what an update would do; nil for a file that is unjudged.
	Change *Change `json:"change,omitempty"`

	entry  entry
	path   string // absolute
	folder string // of the review
}

// Review is what runs in mode [Diff] found of the golden files under paths, and the files that they
// did not ask for, in the order of their paths. A path is a file, a folder, or a folder with "/..."
// after it, which is the same.
//
// A path that does not exist and has no entry is an error, and so is a review that cannot be read.
func Review(paths ...string) (all []Proposal, err error) {
	found := map[string]bool{}
	for _, path := range placed(paths) {
		root := tree(folderOf(path))
		folder, err := reviewFolder(root)
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
			if !within(unlinked(path), at) {
				continue
			}
			if met = true; found[at] {
				continue
			}
			found[at] = true
			p, err := e.proposal(folder, at)
			if err != nil {
				return nil, fmt.Errorf("golden: %w", located.In(e.path(folder), err))
			}
			all = append(all, p)
		}
		files, err := Files(path)
		if err != nil && !(met && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		for _, file := range files {
			if at := unlinked(file); !found[at] {
				found[at] = true
				all = append(all, Proposal{File: file, State: Unjudged, path: at, folder: folder})
			}
		}
	}
	slices.SortFunc(all, func(a, b Proposal) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// within reports whether a path is a folder's or the folder itself.
func within(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inside)
}

// folderOf is the nearest folder that exists.
func folderOf(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		if above := filepath.Dir(path); above != path {
			path = above
			continue
		}
		return path
	}
}

// readEntries reads the entries of a review; without one there are none.
func readEntries(folder string) (all []entry, err error) {
	names, err := filepath.Glob(filepath.Join(escaped(folder), "entries", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		e, err := readEntry(name)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// readEntry reads one entry.
func readEntry(path string) (e entry, err error) {
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

// sound is an error for an entry that no run of ours wrote: what it names is written to.
func (e entry) sound() error {
	switch {
	case e.Format != entryFormat:
		return fmt.Errorf("format %d, this modelparity reads %d", e.Format, entryFormat)
	case !filepath.IsLocal(filepath.FromSlash(e.File)) || filepath.Ext(e.File) != ".json":
		return fmt.Errorf("%q is not a golden file of this tree", e.File)
	case e.Is != "" && !isSum(e.Is) || e.Was != "" && !isSum(e.Was):
		return errors.New("a checksum in it is not one of SHA-256")
	}
	return nil
}

func isSum(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// proposal holds the entry to the golden file as it is now.
func (e entry) proposal(folder, at string) (Proposal, error) {
	p := Proposal{File: shown(at), Change: &e.Change, entry: e, path: at, folder: folder}
	p.Change.Path = p.File
	now, err := sumOfFile(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	switch {
	case e.Is != "" && now == e.Is:
		p.State = Accepted
	case now != e.Was:
		p.State = Stale
	case e.Change.Kind.writes():
		p.State = Differs
	case e.Is != "":
		p.State = Moved
	default:
		p.State = Holds
	}
	return p, nil
}

// shown is a path from the working directory where it lies below it.
func shown(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	for _, from := range []string{here, unlinked(here)} {
		if inside, err := filepath.Rel(from, path); err == nil && filepath.IsLocal(inside) {
			return inside
		}
	}
	return path
}
