package engines

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrDamaged is wrapped by errors about files in the cache that differ from the published ones.
var ErrDamaged = errors.New("is damaged")

// Library checks all files of the engine in the cache and returns the path of its library. The
// error wraps [fs.ErrNotExist] if a file is missing, and [ErrDamaged] if a checksum differs.
func (e Engine) Library() (string, error) {
	p, folder, err := e.place()
	if err != nil {
		return "", err
	}
	damaged := fmt.Errorf("%s %s in the cache %w", e.title(), e.Version, ErrDamaged)
	for _, file := range p.Files {
		path := filepath.Join(folder, file.base())
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return "", fmt.Errorf("%w: %s is not a regular file", damaged, path)
		}
		got, err := Sum(path)
		if err != nil {
			return "", err
		}
		if got != file.SHA256 {
			return "", fmt.Errorf("%w: %s has the sha256 %s, expected %s", damaged, path, got,
				file.SHA256)
		}
	}
	return filepath.Join(folder, p.Library), nil
}
