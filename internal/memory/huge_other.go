//go:build !linux

package memory

// Large does nothing on this system.
func Large([]byte) {}
