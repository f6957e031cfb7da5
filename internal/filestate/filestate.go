// Package filestate tells one state of a file from others without reading it, so that what was
// computed of its bytes can be kept for as long as they stay.
package filestate

import "time"

// State is what changes about a file when its bytes do: the kernel sets the time of change (ctime)
// at every write, and no call sets it back. States are compared with ==.
type State struct {
	Device   uint64 `json:"device"`
	Inode    uint64 `json:"inode"`
	Size     int64  `json:"size"`
	Modified int64  `json:"mtime"` // nanoseconds since 1970
	Changed  int64  `json:"ctime"`
}

// Quiet is for how long a file should have been left alone before its bytes were read: within the
// granularity of a file system's clock two writes leave the same times.
const Quiet = 2 * time.Second

// LeftAlone reports whether nobody had written the file for so long when it was read.
func (s State) LeftAlone(quiet time.Duration, read time.Time) bool {
	since := read.Add(-quiet).UnixNano()
	return s.Modified < since && s.Changed < since
}
