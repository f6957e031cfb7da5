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
	for _, file := range p.Files {
		path := filepath.Join(folder, file.base())
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s %s in the cache %w: %s is not a regular file", e.title(),
				e.Version, ErrDamaged, path)
		}
		got, err := Sum(path)
		if err != nil {
			return "", err
		}
		if got != file.SHA256 {
			return "", fmt.Errorf("%s %s in the cache %w: %s has the sha256 %s, expected %s",
				e.title(), e.Version, ErrDamaged, path, got, file.SHA256)
		}
	}
	return filepath.Join(folder, p.Library), nil
}
