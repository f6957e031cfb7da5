// Package treesum computes the checksum of large data: a tree of SHA-256 sums whose leaves are
// independent, so that all cores can share the work.
//
//	sum  = SHA-256(leaf sums, 32 bytes each, in order)
//	leaf = SHA-256(the next 16 KiB of the data; the last may have less)
//
// In Python:
//
//	leaves = [sha256(data[i:i + 16384]).digest() for i in range(0, len(data), 16384)]
//	sha256(b"".join(leaves)).hexdigest()
//
// A sum does not determine the length of the data: 32 bytes of data could equal the sum of a leaf.
// Therefore store the length together with the sum.
package treesum

import (
	"crypto/sha256"
	"unsafe"
)

const (
	// Leaf is the number of bytes per leaf.
	Leaf = 16 << 10
	// Group is the number of bytes that a goroutine should process at a time.
	Group = 16 * Leaf
)

// Sum is a SHA-256 sum.
type Sum = [sha256.Size]byte

// Count returns the number of leaves of n bytes.
func Count(n int) int { return (n + Leaf - 1) / Leaf }

// Leaves computes the sums of the leaves of data, in order. sums must have the length that [Count]
// returns.
func Leaves(sums []Sum, data []byte) {
	for i := range sums {
		n := min(len(data), Leaf)
		sums[i] = sha256.Sum256(data[:n])
		data = data[n:]
	}
}

// Over returns the checksum of data, given the sums of all its leaves.
func Over(leaves []Sum) Sum {
	if len(leaves) == 0 {
		return sha256.Sum256(nil)
	}
	return sha256.Sum256(unsafe.Slice(&leaves[0][0], len(leaves)*sha256.Size))
}

// Of returns the checksum of data, computed in the calling goroutine.
func Of(data []byte) Sum {
	leaves := make([]Sum, Count(len(data)))
	Leaves(leaves, data)
	return Over(leaves)
}
