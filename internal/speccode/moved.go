package speccode

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// literal matches a string literal in Go source.
var literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// Moved adapts Go code, such as the call that creates an engine, to a spec in the given folder. The
// go command runs the spec in that folder, not in the working directory. Each string in the code
// that is the relative path of an existing file therefore becomes a path relative to the folder.
func Moved(code, folder string) string {
	return literal.ReplaceAllStringFunc(code, func(quoted string) string {
		path, err := strconv.Unquote(quoted)
		if err != nil || filepath.IsAbs(path) {
			return quoted
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return quoted
		}
		return strconv.Quote(Path(path, folder))
	})
}

// Path returns path with slashes, relative to the folder if possible. It returns "" for "".
func Path(path, folder string) string {
	if path == "" {
		return ""
	}
	from, err := filepath.Abs(folder)
	absolute, err2 := filepath.Abs(path)
	if err == nil && err2 == nil {
		if relative, err := filepath.Rel(from, absolute); err == nil {
			path = relative
		}
	}
	return filepath.ToSlash(path)
}
