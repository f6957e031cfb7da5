package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// temporary creates a file that will replace the file at path, with the same permissions. It is in
// the same folder, because a rename is guaranteed to be atomic only within a folder.
func temporary(path string) (*os.File, error) {
	name := fmt.Sprintf(".%s%d", filepath.Base(path), rand.Uint64())
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL,
		0o644)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		err = f.Chmod(info.Mode().Perm())
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return f, nil
}
