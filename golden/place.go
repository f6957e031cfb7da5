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
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/blobstore"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// placing puts the data of one golden file where it belongs, before the file itself is written.
type placing struct {
	folder string // of the file's data
	in     string // needsSidecar or needsStore
	known  []headOutput
	at     string   // where the data of those that are known lies
	made   []string // that were not there before
	packed int64
	raw    int64
}

// keep puts the data of an output into a blob, and says so in the head. One that an older head
// names for the same data stays: packing it again could give other bytes.
func (p *placing) keep(o placedOutput) error {
	if b := p.again(o.head); b != nil {
		o.head.Blob = b
		return nil
	}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	draft := filepath.Join(p.folder, draftName)
	b, err := pack(draft, o.tensor, packingOf(o.tensor))
	if err == nil && !p.affords(b) { // a reader could not tell it from an attack
		if b, err = pack(draft, o.tensor, gzip.NoCompression); err == nil {
			p.affords(b)
		}
	}
	if err != nil {
		return errors.Join(err, wholefile.Remove(draft))
	}
	b.In = p.in
	at := b.beside(p.folder)
	if _, err := os.Lstat(at); err != nil {
		p.made = append(p.made, at)
	}
	o.head.Blob = b
	return os.Rename(draft, at)
}

// again is the blob of an older head with the same data, once it is in the folder too.
func (p *placing) again(o *headOutput) *blob {
	for _, old := range p.known {
		if old.Blob == nil || old.sum() != o.sum() || old.Type != o.Type ||
			!old.Shape.Equal(o.Shape) || old.Blob.In != p.in {
			continue
		}
		from := old.Blob.beside(p.at)
		if old.Blob.In == needsStore {
			store, err := blobstore.FromEnvironment()
			if err != nil || !store.Has(old.Blob.id()) {
				continue
			}
			from = store.Path(old.Blob.id())
		}
		to := old.Blob.beside(p.folder)
		if id, err := blobstore.Sum(from); err == nil && id == old.Blob.id() &&
			(from == to || p.copied(from, old.Blob) == nil) && p.affords(old.Blob) {
			return old.Blob
		}
	}
	return nil
}

// copied puts the blob that is the file at from into the folder.
func (p *placing) copied(from string, b *blob) error {
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	to := b.beside(p.folder)
	if _, err := os.Lstat(to); err != nil {
		p.made = append(p.made, to)
	}
	return copyFile(from, to, b.SHA256)
}

// copyFile makes the file at to hold what the one at from holds, whole or not at all. It must have
// that checksum.
func copyFile(from, to, sum string) error {
	f, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return wholefile.Write(to, func(w io.Writer) error {
		hash := sha256.New()
		_, err := io.Copy(io.MultiWriter(w, hash), f)
		if got := hex.EncodeToString(hash.Sum(nil)); err == nil && got != sum {
			err = fmt.Errorf("%s has the sha256 %s, expected %s: it changed meanwhile", from, got, sum)
		}
		return err
	})
}

// draftName is what a blob is called whose sum is not yet known.
const draftName = "draft"

// affords reports whether a reader would unpack the blob after those before it, and counts it if
// so.
func (p *placing) affords(b *blob) bool {
	if p.raw+b.Raw > budget.Unpacked(p.packed+b.Bytes) {
		return false
	}
	p.packed, p.raw = p.packed+b.Bytes, p.raw+b.Raw
	return true
}

// undo removes what was made for a file that was not written.
func (p *placing) undo() error {
	var all error
	for _, path := range p.made {
		all = errors.Join(all, wholefile.Remove(path))
	}
	_ = os.Remove(p.folder) // which fails, as it should, where anything is left in it
	return all
}

// write puts a golden file's data where it belongs and then writes the file, whole or not at all.
// It reports whether the file's bytes changed. What the file before it kept aside, and it does not,
// goes with it.
func write(ctx context.Context, path string, h head, run *backends.Run, l Layout) (
	changed bool, err error) {
	h = h.cloned()
	err = oneAtATime(path, func() error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		before := headAt(path)
		p := &placing{folder: dataFolder(path), in: l.place(), known: before.all(), at: dataFolder(path)}
		err := h.layOut(run, l, p.keep)
		if err == nil && p.in == needsStore {
			err = h.putAll(ctx, p.folder)
		}
		if err == nil {
			changed, err = wholefile.Update(path, func(w io.Writer) error {
				return writeResults(w, h, []Named{{Name: nameOf(path), Run: run}})
			})
		}
		if err != nil {
			return errors.Join(err, p.undo())
		}
		return removeAside(p.folder, before, h)
	})
	return changed, err
}

// place is where data goes that does not stay in the file.
func (l Layout) place() string {
	if l.InStore {
		return needsStore
	}
	return needsSidecar
}

// putAll puts the blobs of a head that belong in a store into it; nothing of them stays beside the
// file.
func (h *head) putAll(ctx context.Context, folder string) error {
	var store *blobstore.Store
	for _, o := range h.all() {
		if o.Blob == nil || o.Blob.In != needsStore {
			continue
		}
		if store == nil {
			var err error
			if store, err = blobstore.FromEnvironment(); err != nil {
				return err
			}
		}
		if err := store.Put(ctx, o.Blob.id(), o.Blob.beside(folder)); err != nil {
			return fmt.Errorf("output %q: its data is not in a store: %w", o.Name, err)
		}
	}
	return nil
}

// removeAside removes the blobs that the head before named and the one now does not keep beside its
// file, and the folder if nothing is left in it. What no head of this file named is left alone.
func removeAside(folder string, before *head, now head) error {
	stay := map[string]bool{}
	for _, b := range now.blobs() {
		if b.In == needsSidecar {
			stay[b.SHA256] = true
		}
	}
	var all error
	for _, b := range slices.Concat(before.blobs(), now.blobs()) {
		if !stay[b.SHA256] {
			all = errors.Join(all, wholefile.Remove(b.beside(folder)))
		}
	}
	_ = os.Remove(folder) // which fails, as it should, where anything is left in it
	return all
}

// oneAtATime keeps apart the processes that write golden files of one folder, large and small: one
// removes data and empty folders that another is about to fill. The lock is not in the tree, where
// it would be one more file to ignore.
func oneAtATime(path string, do func() error) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "modelparity", "golden")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		folder = os.TempDir()
	}
	of, _ := splitGolden(unlinked(path))
	sum := sha256.Sum256([]byte(of))
	lock := filepath.Join(folder, "modelparity-"+hex.EncodeToString(sum[:2])+".lock")
	return filelock.With(lock, do)
}

// readHead reads the head of a golden file without its data; nil where it has none.
func readHead(path string) (*head, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := polygraphy.ReadHead(f, info.Size())
	if err != nil || text == nil {
		return nil, err
	}
	h, err := decodeHead(text)
	if err == nil {
		err = h.proves()
	}
	return h, err
}

// headAt is the head of the golden file at path, or an empty one where it has none that is sound.
func headAt(path string) *head {
	h, err := readHead(path)
	if err != nil || h == nil {
		return new(head)
	}
	return h
}

// leftAside are the blobs beside a golden file that its head does not name, such as those of an
// update that was interrupted. It is an error where the head cannot be read.
func leftAside(folder string) (files []string, err error) {
	path := strings.TrimSuffix(folder, ".data") + ".json"
	h := new(head)
	if _, err := os.Lstat(path); err == nil {
		if h, err = readHead(path); err != nil {
			return nil, err
		}
	}
	named := map[string]bool{}
	for _, b := range h.blobs() {
		named[b.SHA256+blobExtension] = true
	}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if !named[entry.Name()] && isBlobName(entry.Name()) && entry.Type().IsRegular() {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files, err
}

func isBlobName(name string) bool {
	sum, ok := strings.CutSuffix(name, blobExtension)
	return ok && isSum(sum) || name == draftName
}
