package onnxfile

import "time"

// SetSettled sets for how long a file must have been left alone before its checksum is kept.
func SetSettled(d time.Duration) (restore func()) {
	before := settled
	settled = d
	return func() { settled = before }
}

// SumsKept is how many checksums of files are kept.
func SumsKept() int {
	sums.Lock()
	defer sums.Unlock()
	return len(sums.of)
}
