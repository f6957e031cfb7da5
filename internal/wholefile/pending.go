//go:build !windows

package wholefile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// pendingFile is a file that takes the place of another when it is complete.
type pendingFile = renameio.PendingFile

func newPending(path string) (*pendingFile, error) {
	// The same folder is the only place from which a rename is certain to be one step.
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
}
