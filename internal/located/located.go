// Package located adds a file's path to an error exactly once. Otherwise an error could contain the
// path several times, because readers call other readers, and the operating system's errors already
// contain the path.
package located

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// In prefixes err with path, unless err already starts with path or with a path below it. If err is
// the operating system's error about path, In puts only the error's reason after the prefix. If
// path is empty, In returns an error that says this, instead of "no such file".
func In(path string, err error) error {
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return errors.New("the path of the file is empty")
	}
	text := err.Error()
	if strings.HasPrefix(text, path+":") || strings.HasPrefix(text, path+string(filepath.Separator)) {
		return err
	}
	system := new(fs.PathError)
	if errors.As(err, &system) && text == system.Op+" "+path+": "+system.Err.Error() {
		err = system.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
