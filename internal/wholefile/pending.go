package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// pending is a temporary file that replaces the file at path once all data has been written. It is
// in the same folder as that file, because a rename is guaranteed to be atomic only within a
// folder.
type pending struct {
	*os.File
	path string
	done bool
}

// newPending creates a temporary file with the permissions of the file at path, if there is one.
func newPending(path string) (*pending, error) {
	name := fmt.Sprintf(".%s%d", filepath.Base(path), rand.Uint64())
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL,
		0o644)
	if err != nil {
		return nil, err
	}
	p := &pending{File: f, path: path}
	if info, err := os.Stat(path); err == nil {
		err = f.Chmod(info.Mode().Perm())
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, errors.Join(err, p.cleanup())
		}
	}
	return p, nil
}

// replace moves the complete file to its final path.
func (p *pending) replace() error {
	if err := errors.Join(p.Sync(), p.Close()); err != nil {
		return err
	}
	if err := os.Rename(p.Name(), p.path); err != nil {
		return err
	}
	p.done = true
	return nil
}

// cleanup removes the temporary file unless it has been moved to its final path.
func (p *pending) cleanup() error {
	if p.done {
		return nil
	}
	p.done = true
	_ = p.Close() // it may be closed already
	return os.Remove(p.Name())
}
