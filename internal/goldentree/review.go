package goldentree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/runfile"
)

// EnvReview names the environment variable with the path of that folder, for example one that
// CI keeps as an artifact. By default each module has a folder in the user's cache.
const EnvReview = "MODELPARITY_REVIEW"

// Root returns the folder that a review's paths are relative to, with links resolved: the root
// of the folder's module, or the folder itself outside any module.
func Root(folder string) string {
	folder = runfile.Unlinked(folder)
	if root := moduleRoot(folder); root != "" {
		return root
	}
	return folder
}

// ReviewFolder returns the path of the review folder for the tree with that root.
func ReviewFolder(root string) (string, error) {
	if folder := os.Getenv(EnvReview); folder != "" {
		return filepath.Abs(folder)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep a review in: %w; name one with %s", err, EnvReview)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, "modelparity", "review", hex.EncodeToString(sum[:8])), nil
}

// SummaryName is the update summary's name in the review folder.
const SummaryName = "summary.md"

// Summary returns the path of this tree's update summary, which may not exist, or "" if no
// folder for it is available.
func Summary() string {
	folder, err := ReviewFolder(Root("."))
	if err != nil {
		return ""
	}
	return filepath.Join(folder, SummaryName)
}
