//go:build !linux

package memory

// Large does nothing on this system. On Linux, it asks for large memory pages.
func Large([]byte) {}
