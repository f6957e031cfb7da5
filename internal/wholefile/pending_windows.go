package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// pendingFile is a temporary file that replaces another file once it is complete. renameio, which
// the other systems use, does not support Windows, because renaming is not guaranteed to be atomic
// there.
type pendingFile struct {
	*os.File
	path string
	done bool
}

func newPending(path string) (*pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &pendingFile{File: f, path: path}, nil
}

// CloseAtomicallyReplace closes the temporary file and moves it to its final path.
func (p *pendingFile) CloseAtomicallyReplace() error {
	if err := errors.Join(p.Sync(), p.Close()); err != nil {
		return err
	}
	p.done = true
	if err := os.Rename(p.Name(), p.path); err != nil {
		return errors.Join(err, os.Remove(p.Name()))
	}
	return nil
}

// Cleanup removes the temporary file unless it has been moved to its final path.
func (p *pendingFile) Cleanup() error {
	if p.done {
		return nil
	}
	p.done = true
	return errors.Join(p.Close(), os.Remove(p.Name()))
}
