//go:build !linux

package memory

// Large tells the system that all of a new buffer is about to be written.
func Large([]byte) {}
