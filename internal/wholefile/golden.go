package wholefile

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
)

// GoldenFolder is the folder of golden files, relative to a package's folder.
const GoldenFolder = "testdata/golden"

// goldenHead matches the start of a golden file's header, in any layout.
var goldenHead = regexp.MustCompile(`"modelparity"\s*:\s*\{[^{}\[\]]*"kind"\s*:\s*"golden"`)

// SaysGolden reports whether a file's first bytes say that it is a golden file.
func SaysGolden(f io.ReaderAt) bool {
	start := make([]byte, 4<<10)
	n, _ := f.ReadAt(start, 0) // an error is reported when the file is read
	return goldenHead.Match(start[:n])
}

// IsGolden reports whether the target is a golden file or contains its data. This is true for every
// file that [SaysGolden] recognizes, and for every path in [GoldenFolder] that a golden file or its
// data can have, even if no file exists there. Only [Update] may write to such a target.
func (t Target) IsGolden() bool {
	path := filepath.ToSlash(t.Path)
	if strings.Contains(path, "/"+GoldenFolder+"/") &&
		(strings.HasSuffix(path, ".json") || strings.Contains(path, ".data/")) {
		return true
	}
	if t.stream || t.Info == nil || t.Info.IsDir() {
		return false
	}
	f, err := regular.Open(t.Path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // opened read-only
	return SaysGolden(f)
}
