package wholefile

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
)

// GoldenFolder is the folder of golden files, relative to a package's folder.
const GoldenFolder = "testdata/golden"

// goldenHead matches the start of a golden file's header, in any layout.
var goldenHead = regexp.MustCompile(`"modelparity"\s*:\s*\{[^{}\[\]]*"kind"\s*:\s*"golden"`)

// goldenStart also matches a file that ends before it can say that it is a golden file.
var goldenStart = regexp.MustCompile(goldenHead.String() +
	`|^\s*(\{\s*("modelparity"\s*:\s*(\{[^{}\[\]]*)?)?)?$`)

// SaysGolden reports whether a file's first bytes say that it is a golden file.
func SaysGolden(path string) bool { return goldenHead.Match(start(path)) }

// MayBeGolden reports whether a damaged file may have been a golden file: whether it says so, or
// ends before it can.
func MayBeGolden(path string) bool { return goldenStart.Match(start(path)) }

// start returns a file's first bytes, or nil if it cannot be read.
func start(path string) []byte {
	f, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // opened read-only
	bytes := make([]byte, 4<<10)
	n, _ := f.ReadAt(bytes, 0)
	return bytes[:n]
}

// IsGolden reports whether the target is a golden file or contains its data. This is true for every
// file that [SaysGolden] recognizes, and for every path in [GoldenFolder] that a golden file or its
// data can have, even if no file exists there. Only [Update] may write to such a target.
func (t Target) IsGolden() bool {
	path := filepath.ToSlash(t.Path)
	return strings.Contains(path, "/"+GoldenFolder+"/") &&
		(strings.HasSuffix(path, ".json") || strings.Contains(path, ".data/")) ||
		!t.stream && t.Info != nil && SaysGolden(t.Path)
}
