package golden

import (
	"context"
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
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// A run in mode [Diff] keeps what it found in a folder outside the tree, for a review:
//
//	files/<sha256>.json     what a golden file would hold, named by its own checksum
//	files/<sha256>.data/    its data that is not in it
//	entries/<of path>.json  what was found of one golden file: by which spec, and the checksums of
//	                        the old bytes and of the new ones
//	lock                    for the processes that write
//
// A later run replaces the entries of the files that it judges. The folder may come from a build
// that others had their hands in, so an entry says no numbers: what is shown is computed from the
// two files. Nothing is accepted if the bytes of either are not the entry's.

// EnvReview names the folder, such as one that CI keeps as an artifact. Unset, it is one for each
// module in the user's cache.
const EnvReview = "MODELPARITY_REVIEW"

// entry is what a run found of one golden file.
type entry struct {
	Format int    `json:"format"`
	File   string `json:"file"`         // from the module's root, with slashes
	Was    string `json:"was"`          // sha256 of the golden file's bytes, "" if it is missing
	Is     string `json:"is,omitempty"` // of what it would hold; "" if it holds that already
	Change asker  `json:"change"`
}

// asker is what no file can tell of a change: who asked for it, and whether the spec's own
// tolerance takes it, for which the kind is [Kept].
type asker struct {
	Kind      ChangeKind `json:"kind"`
	By        string     `json:"by,omitempty"`
	Tolerance string     `json:"tolerance,omitempty"`
}

const entryFormat = 1

// tree is the folder that the paths of a review start from, without links: the module's root, or
// the folder itself outside any module.
func tree(folder string) string {
	folder = runfile.Unlinked(folder)
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
	file, err := filepath.Rel(root, runfile.Unlinked(p.change.Path))
	e := entry{Format: entryFormat, File: filepath.ToSlash(file), Was: p.was,
		Change: asker{p.change.Kind, p.change.By, p.change.Tolerance}}
	if err == nil {
		err = e.sound()
	}
	if err != nil {
		return fmt.Errorf("%s cannot be reviewed: %w; run with -golden.update to write it",
			p.change.Path, err)
	}
	folder, err := reviewFolder(root)
	if err != nil {
		return err
	}
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
		if err := overwritable(e.path(folder)); err != nil {
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
	return errors.Join(wholefile.Remove(at), os.RemoveAll(runfile.DataFolder(at)))
}

// locked makes a review's folders and does what changes it.
func locked(folder string, do func() error) error {
	for _, below := range []string{"files", "entries"} {
		if err := os.MkdirAll(filepath.Join(folder, below), 0o755); err != nil {
			return err
		}
	}
	for _, below := range []string{"files", "entries", "lock", summaryName} {
		if err := overwritable(filepath.Join(folder, below)); err != nil {
			return err
		}
	}
	return filelock.With(filepath.Join(folder, "lock"), do)
}

// overwritable is an error for a link or a device: writing to it would write elsewhere.
func overwritable(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s is a link or a device, which a review does not hold: delete it", path)
	}
	return nil
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
	path, h, l := filepath.Join(draft, "draft.json"), p.head.Cloned(), p.o.Layout
	to := &placing{folder: runfile.DataFolder(path), known: runfile.HeadAt(p.change.Path).All(),
		at: runfile.DataFolder(p.change.Path)}
	if err := layOut(&h, p.run, l, to.keep); err != nil {
		return "", err
	}
	if err := wholefile.Write(path, func(w io.Writer) error {
		return runfile.WriteResults(w, h, runnerOf(p.change.Path, p.run))
	}); err != nil {
		return "", err
	}
	if sum, err = sumOfFile(path); err != nil {
		return "", err
	}
	at := kept(folder, sum)
	if len(h.Blobs()) > 0 {
		if err := os.RemoveAll(runfile.DataFolder(at)); err != nil {
			return "", err
		}
		if err := os.Rename(to.folder, runfile.DataFolder(at)); err != nil {
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
	// Change is what accepting would do, computed from the files; nil if there is nothing to accept.
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
// Every file that would change is read, under ctx.
func Review(ctx context.Context, paths ...string) (all []Proposal, err error) {
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
			if !within(runfile.Unlinked(path), at) {
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
		files, err := Files(path)
		if err != nil && !(met && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		for _, file := range files {
			if at := runfile.Unlinked(file); !found[at] {
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
	of := map[string]string{}
	for _, name := range names {
		e, err := readEntry(name)
		if err != nil {
			return nil, err
		}
		file := strings.ToLower(e.File) // which is one file on some file systems
		if other := of[file]; other != "" {
			return nil, fmt.Errorf("%s and %s are both of %s; %s", other, name, e.File, again)
		}
		of[file], all = name, append(all, e)
	}
	return all, nil
}

// mostOfEntry is more bytes than an entry has.
const mostOfEntry = 1 << 20

// readEntry reads one entry.
func readEntry(path string) (e entry, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostOfEntry {
		return entry{}, fmt.Errorf("%s is not an entry of a review; %s", path, again)
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

// sound is an error for an entry that no run of ours wrote, such as one of a file that is not where
// [Files] finds golden files, or under a name that [Path] refuses.
func (e entry) sound() error {
	name, isJSON := strings.CutSuffix(e.File, ".json")
	_, inside := splitGolden("/" + e.File)
	switch {
	case e.Format != entryFormat:
		return fmt.Errorf("format %d, this modelparity reads %d", e.Format, entryFormat)
	case !isJSON || inside == "" || unsuitable(name) != "" ||
		slices.Contains(strings.Split(name, "/"), "node_modules"):
		return fmt.Errorf("%q is not a golden file of this tree: they lie in folders %s", e.File, Folder)
	case e.Is != "" && !runfile.IsSum(e.Is) || e.Was != "" && !runfile.IsSum(e.Was):
		return errors.New("a checksum in it is not one of SHA-256")
	}
	return nil
}
