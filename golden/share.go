package golden

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/blobstore"
)

// Shared is what [Push] or [Pull] did with the data of one golden file.
type Shared struct {
	Path    string `json:"path"`
	Blobs   int    `json:"blobs"` // that lie in a store
	Bytes   int64  `json:"bytes"`
	Problem string `json:"problem,omitempty"` // why some of them do not
}

// Push puts the data of the golden files under paths that belongs in a store into the one that
// MODELPARITY_STORE names, from beside the files or from the cache of this machine. Files without
// such data are left out.
func Push(ctx context.Context, paths ...string) ([]Shared, error) {
	return share(paths, func(store *blobstore.Store, path string, b *blob) error {
		from := b.beside(dataFolder(path))
		if _, err := os.Stat(from); err != nil {
			if !store.Has(b.id()) {
				return fmt.Errorf("%s is not on this machine either", b.SHA256)
			}
			from = store.Path(b.id())
		}
		return store.Put(ctx, b.id(), from)
	})
}

// Pull reads that data into the cache of this machine, for work without a network.
func Pull(ctx context.Context, paths ...string) ([]Shared, error) {
	return share(paths, func(store *blobstore.Store, _ string, b *blob) error {
		_, err := store.Get(ctx, b.id())
		return err
	})
}

func share(paths []string, do func(store *blobstore.Store, path string, b *blob) error) (
	all []Shared, err error) {
	names, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	store, err := blobstore.FromEnvironment()
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	for _, name := range names {
		s := Shared{Path: name}
		for _, b := range headAt(name).blobs() {
			if b.In != needsStore {
				continue
			}
			s.Blobs, s.Bytes = s.Blobs+1, s.Bytes+b.Bytes
			if err := do(store, name, b); err != nil && s.Problem == "" {
				s.Problem = err.Error()
			}
		}
		if s.Blobs > 0 {
			all = append(all, s)
		}
	}
	return all, nil
}

// String is one line.
func (s Shared) String() string {
	if s.Problem != "" {
		return s.Path + ": " + s.Problem
	}
	return fmt.Sprintf("%s: %d blobs, %s", s.Path, s.Blobs, bytesText(s.Bytes))
}

func pushed(ctx context.Context, q Question) (Answer, error) {
	all, err := Push(ctx, q.Paths...)
	return sharing("in the store", all, err)
}

func pulled(ctx context.Context, q Question) (Answer, error) {
	all, err := Pull(ctx, q.Paths...)
	return sharing("on this machine", all, err)
}

func sharing(where string, all []Shared, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	var b strings.Builder
	failed := 0
	for _, s := range all {
		fmt.Fprintln(&b, s)
		if s.Problem != "" {
			failed++
		}
	}
	fmt.Fprintf(&b, "the data of %d of %d golden files that keep some in a store is %s\n",
		len(all)-failed, len(all), where)
	return Answer{Text: b.String(), Value: append([]Shared{}, all...), Differs: failed > 0}, nil
}

// leftUnder is [leftAside] of all golden files under paths.
func leftUnder(paths []string) (files []string) {
	for _, path := range placed(paths) {
		_ = filepath.WalkDir(path, func(at string, item fs.DirEntry, err error) error {
			if err != nil || !item.IsDir() {
				return nil //nolint:nilerr // who lists the golden files says so
			}
			name := item.Name()
			if at != path && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			if absolute, err := filepath.Abs(at); err == nil && filepath.Ext(name) == ".data" {
				if _, inside := splitGolden(absolute); inside != "" {
					left, _ := leftAside(at) // none where the head cannot be read
					files = append(files, left...)
				}
			}
			return nil
		})
	}
	slices.Sort(files)
	return slices.Compact(files)
}
