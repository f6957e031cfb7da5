package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// pendingFile is a file that takes the place of another when it is complete. renameio, which does
// it elsewhere, leaves Windows out because a rename is not promised to be one step there.
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

// CloseAtomicallyReplace makes the file the one at the path it was opened for.
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

// Cleanup removes a file that never took the other's place.
func (p *pendingFile) Cleanup() error {
	if p.done {
		return nil
	}
	p.done = true
	return errors.Join(p.Close(), os.Remove(p.Name()))
}
