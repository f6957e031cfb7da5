// Package filestate detects, without reading a file, whether the file has changed. Results computed
// from a file's contents can therefore be cached.
package filestate

import "time"

// State differs whenever a file's contents have changed: the kernel sets the ctime at every write,
// and no system call can set it back. Compare states with ==.
type State struct {
	Device   uint64 `json:"device"`
	Inode    uint64 `json:"inode"`
	Size     int64  `json:"size"`
	Modified int64  `json:"mtime"` // nanoseconds since 1970
	Changed  int64  `json:"ctime"`
}

// Quiet is the time for which a file should have been unmodified before it is read, if the result
// is to be cached. If two writes are closer together than the file system's clock can tell, the
// second one leaves the times unchanged.
const Quiet = 2 * time.Second

// LeftAlone reports whether, at the time read, the file had been unmodified for at least the
// duration quiet.
func (s State) LeftAlone(quiet time.Duration, read time.Time) bool {
	since := read.Add(-quiet).UnixNano()
	return s.Modified < since && s.Changed < since
}
