// Package located says which file an error is about, once: readers call readers, and the system's
// own errors name the file already.
package located

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// In puts path before err, unless err starts with path or with a path below it. Of the system's
// error about path it keeps the reason.
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
