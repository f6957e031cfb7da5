// Package filestate detects, without reading a file, whether the file has changed. This makes it
// possible to cache results that were computed from a file's contents.
package filestate

import "time"

// State identifies a version of a file: if the file's contents have changed, its state differs,
// because the kernel sets the ctime at every write and no system call can set it back. Compare
// states with ==.
type State struct {
	Device   uint64 `json:"device"`
	Inode    uint64 `json:"inode"`
	Size     int64  `json:"size"`
	Modified int64  `json:"mtime"` // nanoseconds since 1970
	Changed  int64  `json:"ctime"`
}

// Quiet is how long a file must have been unmodified before a result computed from it may be
// cached. If two writes follow each other more quickly than the file system's clock ticks, the
// second one leaves the times unchanged.
const Quiet = 2 * time.Second

// LeftAlone reports whether the file had been unmodified for at least the duration [Quiet] when it
// was read. readTime is the time of that reading.
func (s State) LeftAlone(readTime time.Time) bool {
	since := readTime.Add(-Quiet).UnixNano()
	return s.Modified < since && s.Changed < since
}
