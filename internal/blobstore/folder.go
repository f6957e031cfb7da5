package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/modelparity/modelparity/internal/regular"
)

// folder is a store in a folder, such as one that a network shares.
type folder struct{ path string }

func (f folder) String() string { return "the store " + f.path }

func (f folder) get(ctx context.Context, id ID, to io.Writer) error {
	file, err := regular.Open(place(f.path, id))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(f.path); err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		return fmt.Errorf("%w %s", ErrLacks, id.SHA256)
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	_, err = io.Copy(to, cancelled{ctx, file})
	return err
}

// put makes no folder for the store itself: a share that is not mounted would be filled in vain.
func (f folder) put(_ context.Context, id ID, path string) error {
	if info, err := os.Stat(f.path); err != nil || !info.IsDir() {
		return errors.New("is not a folder; make it, or mount it")
	}
	return copyInto(place(f.path, id), id, path)
}

// cancelled ends where its context does.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelled) Read(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
