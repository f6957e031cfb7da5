package wholefile

import (
	"os"
	"syscall"
)

// beginWriteback starts writing n bytes of a file to the disk and does not wait. If it fails, the
// bytes are written when the file is synced.
func beginWriteback(f *os.File, from, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), from, n, write)
}
