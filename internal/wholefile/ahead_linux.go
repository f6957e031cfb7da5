package wholefile

import (
	"os"
	"syscall"
)

// beginWriteback has the disk begin with n bytes of a file, and does not wait for it. Where that
// fails, the disk begins when the file is synced.
func beginWriteback(f *os.File, from, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), from, n, write)
}
