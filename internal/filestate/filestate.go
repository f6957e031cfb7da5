// Package filestate detects whether a file has changed without reading it, so that results computed
// from its bytes can be cached.
package filestate

import "time"

// State changes whenever a file's bytes do: the kernel sets the ctime at every write, and no call
// can set it back. Compare states with ==.
type State struct {
	Device   uint64 `json:"device"`
	Inode    uint64 `json:"inode"`
	Size     int64  `json:"size"`
	Modified int64  `json:"mtime"` // nanoseconds since 1970
	Changed  int64  `json:"ctime"`
}

// Quiet is how long a file should have been unmodified before it is read, if the result is to be
// cached: two writes within the granularity of the file system's clock leave the same times.
const Quiet = 2 * time.Second

// LeftAlone reports whether the file had been unmodified for at least the duration quiet at the
// time read.
func (s State) LeftAlone(quiet time.Duration, read time.Time) bool {
	since := read.Add(-quiet).UnixNano()
	return s.Modified < since && s.Changed < since
}
