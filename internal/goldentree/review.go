package goldentree

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// EnvReview is the environment variable with the path of the review folder, for example a folder
// that CI keeps as an artifact. Without it, each module has a review folder in the user's cache.
const EnvReview = "MODELPARITY_REVIEW"

// Root returns the folder that paths in a review are relative to: the root of the module that
// contains path or, outside a module, path itself. Links are resolved. Neither the file at path nor
// its folder need exist.
func Root(path string) string {
	path = wholefile.Unlinked(path)
	return cmp.Or(moduleRoot(path), path)
}

// ReviewFolder returns the path of the review folder of the module with the given root folder.
func ReviewFolder(root string) (string, error) {
	if folder := os.Getenv(EnvReview); folder != "" {
		return filepath.Abs(folder)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the review was found: %w; name one in the environment "+
			"variable %s", err, EnvReview)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, "modelparity", "review", hex.EncodeToString(sum[:8])), nil
}

// SummaryName is the file name of the update summary in the review folder.
const SummaryName = "summary.md"

// Summary returns the path of this module's update summary, which may not exist. It returns "" if
// the review folder cannot be determined.
func Summary() string {
	folder, err := ReviewFolder(Root("."))
	path := filepath.Join(folder, SummaryName)
	if _, missing := os.Stat(path); err != nil || missing != nil {
		return ""
	}
	return path
}
