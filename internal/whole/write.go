// Package whole writes files whole or not at all.
package whole

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes data to path by way of a file beside it that is renamed when it is complete, so
// that a reader, or a crash, never meets half a file. The folder must exist.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
