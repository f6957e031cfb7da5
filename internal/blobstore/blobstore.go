// Package blobstore keeps blobs that several machines share, each under the SHA-256 of its bytes:
// what is too large for version control. A store is a folder or an HTTP server, with a cache on
// this machine before it, so that what was read once is there without a network.
//
// The protocol is that of Bazel's remote caches, so that a cache that a team has already will do:
//
//	GET, HEAD, PUT  <url>/cas/<sha256>
//	a folder        <folder>/cas/<first two digits>/<sha256>
//
// Nothing is given to a caller before its bytes gave the sum, whether they came from the cache, a
// folder or a server. Blobs appear whole or not at all, and any number of processes may write one.
package blobstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// The environment variables of a store.
const (
	Variable      = "MODELPARITY_STORE"       // a folder, or a URL of http or https
	TokenVariable = "MODELPARITY_STORE_TOKEN" // that a server wants, as a bearer token
	CacheVariable = "MODELPARITY_STORE_CACHE" // a folder in place of the one in the user's cache
)

// ID is what a blob is known by.
type ID struct {
	SHA256 string // in 64 hexadecimal digits
	Bytes  int64
}

func (id ID) valid() error {
	if len(id.SHA256) != 2*sha256.Size || strings.Trim(id.SHA256, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is not a SHA-256", id.SHA256)
	}
	if id.Bytes < 0 {
		return fmt.Errorf("a blob of %d bytes", id.Bytes)
	}
	return nil
}

// ErrLacks is wrapped where a store does not have a blob, and ErrNone where none is named and the
// cache does not have it either.
var (
	ErrLacks = errors.New("lacks the blob")
	ErrNone  = errors.New("no store is named: set " + Variable + " to a folder or a URL")
)

// Store is a store with its cache.
type Store struct {
	cache  string
	remote remote // nil where none is named
}

// remote is the part of a store that machines share.
type remote interface {
	fmt.Stringer
	// get writes a blob; one that is not there is ErrLacks. What it writes may be wrong.
	get(ctx context.Context, id ID, to io.Writer) error
	// put makes the blob whose bytes are in the file at path be there.
	put(ctx context.Context, id ID, path string) error
}

// FromEnvironment is the store that the environment names. Without one there is only the cache.
func FromEnvironment() (*Store, error) {
	cache := os.Getenv(CacheVariable)
	if cache == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no folder to keep blobs in: %w; name one with %s", err, CacheVariable)
		}
		cache = filepath.Join(folder, "modelparity", "blobs")
	}
	s := &Store{cache: cache}
	where := os.Getenv(Variable)
	switch {
	case where == "":
	case strings.HasPrefix(where, "http://"), strings.HasPrefix(where, "https://"):
		server, err := newServer(where, os.Getenv(TokenVariable))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Variable, err)
		}
		s.remote = server
	case strings.Contains(where, "://"):
		return nil, fmt.Errorf("%s: want a folder, or a URL of http or https", Variable)
	case !filepath.IsAbs(where): // go test runs each package in a folder of its own
		return nil, fmt.Errorf("%s: %s is not an absolute path", Variable, where)
	default:
		s.remote = folder{filepath.Clean(where)}
	}
	return s, nil
}

// String names the store, without any secret.
func (s *Store) String() string {
	if s.remote == nil {
		return "no store"
	}
	return s.remote.String()
}

// Cache is the folder of this machine's copies.
func (s *Store) Cache() string { return s.cache }

// Shared reports whether a store is named that machines share.
func (s *Store) Shared() bool { return s.remote != nil }

// Get gives a file of this machine that holds the blob, after its sum was checked: that of the
// cache, or one that is fetched into it. Without a network that is all blobs read before.
func (s *Store) Get(ctx context.Context, id ID) (path string, err error) {
	if err := id.valid(); err != nil {
		return "", err
	}
	path = place(s.cache, id)
	if holds(path, id) {
		return path, nil
	}
	if s.remote == nil {
		return "", ErrNone
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return s.uncached(id, err)
	}
	err = wholefile.Write(path, func(w io.Writer) error {
		sum := &summed{to: w, hash: sha256.New(), left: id.Bytes}
		err := s.remote.get(ctx, id, sum)
		switch {
		case sum.failed != nil: // the cache, not the store
			return fmt.Errorf("write %s: %w", path, sum.failed)
		case err == nil:
			err = sum.check(id)
		}
		if err != nil {
			return fmt.Errorf("%v %w", s.remote, err)
		}
		return nil
	})
	if err != nil {
		return s.uncached(id, err)
	}
	return path, nil
}

// uncached is the blob in a folder that is the store itself, for a cache that cannot be written;
// without one it is the error.
func (s *Store) uncached(id ID, err error) (string, error) {
	if f, ok := s.remote.(folder); ok {
		if at := place(f.path, id); holds(at, id) {
			return at, nil
		}
	}
	return "", err
}

// Has reports whether the cache holds the blob.
func (s *Store) Has(id ID) bool { return id.valid() == nil && holds(place(s.cache, id), id) }

// Path is where the cache holds the blob, if it does.
func (s *Store) Path(id ID) string { return place(s.cache, id) }

// Keep puts the blob whose bytes are in the file at path into the cache alone.
func (s *Store) Keep(id ID, path string) error {
	if err := id.valid(); err != nil {
		return err
	}
	return copyInto(place(s.cache, id), id, path)
}

// Put puts the blob whose bytes are in the file at path into the cache and into the store. Without
// a store it is [ErrNone].
func (s *Store) Put(ctx context.Context, id ID, path string) error {
	if s.remote == nil {
		return ErrNone
	}
	if err := s.Keep(id, path); err != nil {
		return err
	}
	if err := s.remote.put(ctx, id, place(s.cache, id)); err != nil {
		return fmt.Errorf("%v %w", s.remote, err)
	}
	return nil
}

// place is where a blob lies below a folder.
func place(folder string, id ID) string {
	return filepath.Join(folder, "cas", id.SHA256[:2], id.SHA256)
}

// holds reports whether the file at path is the blob.
func holds(path string, id ID) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != id.Bytes {
		return false
	}
	got, err := Sum(path)
	return err == nil && got.SHA256 == id.SHA256
}

// copyInto makes path the blob, from another file. One that is there and whole stays.
func copyInto(path string, id ID, from string) error {
	if holds(path, id) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return wholefile.Write(path, func(w io.Writer) error {
		sum := &summed{to: w, hash: sha256.New(), left: id.Bytes}
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		return sum.check(id)
	})
}

// Sum is what the file at path is known by.
func Sum(path string) (ID, error) {
	f, err := regular.Open(path)
	if err != nil {
		return ID{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	hash := sha256.New()
	n, err := io.Copy(hash, f)
	return ID{hex.EncodeToString(hash.Sum(nil)), n}, err
}

// Sizes is how many blobs the cache holds and their bytes.
func (s *Store) Sizes() (blobs int, bytes int64) {
	_ = filepath.WalkDir(filepath.Join(s.cache, "cas"),
		func(_ string, item fs.DirEntry, err error) error {
			if err != nil || item.IsDir() {
				return nil //nolint:nilerr // a cache that is not there is empty
			}
			if info, err := item.Info(); err == nil {
				blobs, bytes = blobs+1, bytes+info.Size()
			}
			return nil
		})
	return blobs, bytes
}
