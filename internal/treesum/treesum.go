// Package treesum is the checksum of large data: a tree of SHA-256 sums, whose leaves do not wait
// for each other, so that all cores compute it.
//
//	sum  = SHA-256(leaf sums, 32 bytes each, in order)
//	leaf = SHA-256(the next 16 KiB of the data; the last may have less)
//
// In Python:
//
//	leaves = [sha256(data[i:i + 16384]).digest() for i in range(0, len(data), 16384)]
//	sha256(b"".join(leaves)).hexdigest()
//
// A sum says nothing about the length: data of 32 bytes could be a leaf's sum. So keep the length
// with it.
package treesum

import (
	"crypto/sha256"
	"unsafe"
)

const (
	// Leaf is how many bytes of the data a leaf has.
	Leaf = 16 << 10
	// Group is how many bytes one goroutine takes at a time.
	Group = 16 * Leaf
)

// Sum is a SHA-256 sum.
type Sum = [sha256.Size]byte

// Count is how many leaves n bytes have.
func Count(n int) int { return (n + Leaf - 1) / Leaf }

// Leaves computes the sums of data's leaves, in order; sums has [Count] places.
func Leaves(sums []Sum, data []byte) {
	for i := range sums {
		n := min(len(data), Leaf)
		sums[i] = sha256.Sum256(data[:n])
		data = data[n:]
	}
}

// Over is the sum of sums: of all leaves, the data's.
func Over(leaves []Sum) Sum {
	if len(leaves) == 0 {
		return sha256.Sum256(nil)
	}
	return sha256.Sum256(unsafe.Slice(&leaves[0][0], len(leaves)*sha256.Size))
}

// Of is the sum of data, computed by the goroutine that asks.
func Of(data []byte) Sum {
	leaves := make([]Sum, Count(len(data)))
	Leaves(leaves, data)
	return Over(leaves)
}
