// Package located adds a file's path to an error exactly once. Readers call other readers, and
// errors of the operating system already contain the path, so it could appear several times.
package located

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// In prefixes err with path, unless err already starts with path or with a path below it. For an
// error of the operating system about path, only the reason is kept after the prefix.
func In(path string, err error) error {
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
