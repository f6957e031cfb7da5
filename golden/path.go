package golden

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Folder is where golden files live, beside the specs that use them.
const Folder = "testdata/golden"

// Path is where the golden file of that name is: testdata/golden/<name>.json, relative to the
// package's folder, in which go test runs. A name may have folders in it ("fp16/digits"). A name
// that would leave the folder, or be no file name on some system, is an error.
func Path(name string) (string, error) {
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return "", fmt.Errorf("golden: %q is no name for a file", name)
	case strings.ContainsAny(name, "\\:*?\"<>|#") || strings.ContainsFunc(name, isControl):
		return "", fmt.Errorf(`golden: the name %q holds a character that files should not have: `+
			`one of \ : * ? " < > | #`, name)
	case path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, ".."):
		return "", fmt.Errorf("golden: the name %q leaves %s", name, Folder)
	}
	return filepath.Join(filepath.FromSlash(Folder), filepath.FromSlash(name)+".json"), nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// nameOf is the name of a file without its folder and its extension: what a golden file's runner is
// called, so that Polygraphy prints it.
func nameOf(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
