//go:build !amd64 || purego

package treesum

// The standard library's SHA-256 uses the instructions that these processors have for it.
const wide = false

func leavesWide(*[lanes]Sum, []byte) {}
