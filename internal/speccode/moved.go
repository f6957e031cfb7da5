package speccode

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// literal matches a string literal in Go source.
var literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// Moved returns Go source, such as an engine's, for a spec in a folder, where the go command runs
// the spec. A string that names an existing file relative to the working directory names it
// relative to the folder instead.
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

// Path returns a path relative to the folder, if there is one, with slashes.
func Path(path, folder string) string {
	from, err := filepath.Abs(folder)
	absolute, err2 := filepath.Abs(path)
	if err == nil && err2 == nil {
		if relative, err := filepath.Rel(from, absolute); err == nil {
			path = relative
		}
	}
	return filepath.ToSlash(path)
}
