package golden

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// placing stores one golden file's sidecar data. The data is stored before the golden file itself
// is written, so that the file never refers to missing data.
type placing struct {
	folder string        // the golden file's data folder
	made   []string      // new blobs, which undo removes
	placed runfile.Sizes // of the blobs placed so far
}

// draftName is the file name of a blob that is being written. The final name contains the blob's
// checksum.
const draftName = "draft"

// keep stores an output's data in a blob and records the blob in the file header.
func (p *placing) keep(o placedOutput) error {
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	draft := filepath.Join(p.folder, draftName)
	b, err := runfile.Pack(draft, o.tensor)
	if err == nil && p.placed.Add(b) != nil { // readers reject such compression ratios as attacks
		if b, err = runfile.PackAt(draft, o.tensor, gzip.NoCompression); err == nil {
			err = p.placed.Add(b)
		}
	}
	if err != nil {
		return errors.Join(err, wholefile.Remove(draft))
	}
	b.In = runfile.NeedsSidecar
	o.head.Blob = b
	return os.Rename(draft, p.pathOf(b))
}

// pathOf returns the blob's path in the folder. If no file exists there yet, undo will remove the
// file that the caller writes there.
func (p *placing) pathOf(b *runfile.Blob) string {
	at := b.Path(p.folder)
	if _, err := os.Lstat(at); err != nil {
		p.made = append(p.made, at)
	}
	return at
}

// copied copies the blob b from the file source into the golden file's data folder.
func (p *placing) copied(source string, b *runfile.Blob) error {
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	return copyFile(source, p.pathOf(b), b.SHA256)
}

// copyFile copies a file and verifies its checksum. If it fails, it leaves no partial file.
func copyFile(from, to, sum string) error {
	f, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened read-only
	_, err = wholefile.Update(to, func(w io.Writer) error {
		hash := sha256.New()
		_, err := io.Copy(io.MultiWriter(w, hash), f)
		if got := hex.EncodeToString(hash.Sum(nil)); err == nil && got != sum {
			err = fmt.Errorf("%s has the sha256 %s, expected %s: it changed during the copy", from, got, sum)
		}
		return err
	})
	return err
}

// undo removes the new blobs. Call it if the golden file could not be written.
func (p *placing) undo() error {
	return removed(p.folder, p.made)
}

// removed removes the files at paths, and then the folder if it is empty.
func removed(folder string, paths []string) (all error) {
	for _, path := range paths {
		all = errors.Join(all, wholefile.Remove(path))
	}
	_ = os.Remove(folder) // fails, as intended, unless the folder is empty
	return all
}

// write stores a golden file's sidecar data, writes the file, and removes the blobs that only its
// previous version used. It reports whether the file's bytes changed. If write fails, the old file
// is unchanged.
func write(path string, h runfile.Head, runs []runfile.Runner, l Layout) (changed bool,
	err error) {
	h = h.Cloned()
	data := runfile.DataFolder(path)
	target, err := wholefile.Resolve(path)
	if err == nil && !target.IsGolden() { // a link may lead to another golden file
		err = wholefile.Beside(path, path)
	}
	if err == nil {
		err = wholefile.Beside(target.Path, filepath.Join(data, draftName))
	}
	if err != nil {
		return false, err
	}
	err = oneAtATime(path, func() error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		before := runfile.HeadAt(path)
		p := &placing{folder: data}
		err := layOut(&h, runs[0].Run, l, p.keep)
		if err == nil {
			changed, err = wholefile.Update(path, func(w io.Writer) error {
				return runfile.WriteResults(w, h, runs)
			})
		}
		if err != nil {
			return errors.Join(err, p.undo())
		}
		return removeAside(p.folder, before, h)
	})
	return changed, err
}

// removeAside removes the blobs that the previous file header refers to but the new one does not,
// and the folder if it is then empty. It keeps blobs that neither header refers to.
func removeAside(folder string, before *runfile.Head, now runfile.Head) error {
	stay := map[string]bool{}
	for _, b := range now.Blobs() {
		stay[b.SHA256] = true
	}
	var gone []string
	for _, b := range before.Blobs() {
		if !stay[b.SHA256] {
			gone = append(gone, b.Path(folder))
		}
	}
	return removed(folder, gone)
}

// oneAtATime calls work while it holds the lock of path's folder, so that only one process at a
// time writes golden files there. Otherwise a different process could remove data or empty folders
// that this process is about to fill. The lock file is outside the source tree, so that users need
// not add it to .gitignore.
func oneAtATime(path string, work func() error) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "modelparity", "golden")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		folder = os.TempDir()
	}
	of, _ := goldentree.Split(wholefile.Unlinked(path))
	sum := sha256.Sum256([]byte(of))
	lock := filepath.Join(folder, "modelparity-"+hex.EncodeToString(sum[:2])+".lock")
	return filelock.With(context.Background(), lock, work)
}
