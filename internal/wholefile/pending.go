//go:build !windows

package wholefile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// pendingFile is a file that replaces another when it is complete.
type pendingFile = renameio.PendingFile

func newPending(path string) (*pendingFile, error) {
	// A rename is certain to be atomic only within the same folder.
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
}
