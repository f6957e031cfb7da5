package runfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/tensor"
)

// An output larger than 256 KiB has a tree checksum: a tree of SHA-256 sums whose leaves are
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
// A sum alone does not determine the length of the data: 32 bytes of data could equal the sum of a
// leaf. Readers therefore get the length from the type and shape in the file header.
const (
	leafSize  = 16 << 10      // bytes per leaf
	groupSize = 16 * leafSize // bytes that a goroutine processes at a time
)

// leafSum is the SHA-256 sum of a leaf.
type leafSum = [sha256.Size]byte

// leafCount returns the number of leaves of n bytes.
func leafCount(n int) int { return (n + leafSize - 1) / leafSize }

// sumLeaves computes the sums of the leaves of data, in order. sums must have [leafCount] elements.
func sumLeaves(sums []leafSum, data []byte) {
	for i := range sums {
		n := min(len(data), leafSize)
		sums[i] = sha256.Sum256(data[:n])
		data = data[n:]
	}
}

// treeOf combines the checksums of an output's leaves into its tree checksum.
func treeOf(leaves []leafSum) string {
	hash := sha256.New()
	for i := range leaves {
		hash.Write(leaves[i][:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// hasTree reports whether an output gets a tree checksum. Small outputs get a plain SHA-256, which
// any tool can compute; so do strings, because their bytes are not contiguous.
func hasTree(t *tensor.Tensor) bool { return t.Size() > groupSize }

// Sum returns the checksum of an output's data, plain or tree, as the file header states it, or ""
// if the header has none.
func (o Output) Sum() string { return cmp.Or(o.Tree, o.SHA256) }

// overGroups splits n bytes into groups, and calls the function work with the range [lo,hi) of each
// group, on all cores. Every group consists of whole leaves; only the last leaf of the data may be
// shorter.
func overGroups(n int, work func(lo, hi int)) {
	var drawn atomic.Int64
	worker := func() {
		for {
			lo := int(drawn.Add(1)-1) * groupSize
			if lo >= n {
				return
			}
			work(lo, min(lo+groupSize, n))
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+groupSize-1)/groupSize) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
}
