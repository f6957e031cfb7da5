//go:build !windows

package wholefile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// pendingFile is a temporary file that replaces another file once it is complete.
type pendingFile = renameio.PendingFile

func newPending(path string) (*pendingFile, error) {
	// The temporary file is in the same folder, because a rename is guaranteed to be atomic only
	// there.
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
}
