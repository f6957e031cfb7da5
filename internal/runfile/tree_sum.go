package runfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/tensor"
)

// treeSum is the checksum of an output larger than 256 KiB: a tree of SHA-256 sums whose leaves are
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
// A part is a sequence of leaves. The checksums of parts show where the data is damaged and which
// parts of an output an update changes.
type treeSum struct {
	SHA256 string   `json:"sha256"` // SHA-256 of the checksums of all leaves
	Parts  []string `json:"parts"`  // the first 16 digits of each part's checksum
}

const (
	leafSize  = 16 << 10      // bytes per leaf
	groupSize = 16 * leafSize // bytes that a goroutine processes at a time
)

// leafSum is the SHA-256 sum of a leaf.
type leafSum = [sha256.Size]byte

// leafCount returns the number of leaves for n bytes of data.
func leafCount(n int) int { return (n + leafSize - 1) / leafSize }

// sumLeaves computes the sums of the leaves of data, in order. sums must have [leafCount] elements.
func sumLeaves(sums []leafSum, data []byte) {
	for i := range sums {
		n := min(len(data), leafSize)
		sums[i] = sha256.Sum256(data[:n])
		data = data[n:]
	}
}

// sumOver returns the checksum of data, given the sums of all its leaves.
func sumOver(leaves []leafSum) leafSum {
	hash := sha256.New()
	for i := range leaves {
		hash.Write(leaves[i][:])
	}
	return leafSum(hash.Sum(nil))
}

// A tree checksum has at most mostParts parts. All but the last have at least fewestLeaves leaves.
const (
	fewestLeaves = 64
	mostParts    = 64
)

// partOf returns the number of leaves per part if there are n leaves. The last part may have fewer.
func partOf(n int) int {
	part := fewestLeaves
	for (n+part-1)/part > mostParts {
		part *= 2
	}
	return part
}

// hasTree reports whether an output gets a tree checksum. Small outputs get a plain SHA-256, which
// any tool can compute; so do strings, because their bytes are not contiguous.
func hasTree(t *tensor.Tensor) bool { return t.Size() > groupSize }

// treeOf combines the checksums of an output's leaves into a tree checksum.
func treeOf(leaves []leafSum) *treeSum {
	root := sumOver(leaves)
	sum := &treeSum{SHA256: hex.EncodeToString(root[:])}
	part := partOf(len(leaves))
	for ; len(leaves) > 0; leaves = leaves[min(part, len(leaves)):] {
		of := sumOver(leaves[:min(part, len(leaves))])
		sum.Parts = append(sum.Parts, hex.EncodeToString(of[:8]))
	}
	return sum
}

// sound returns an error if the checksums do not fit the output's type and shape.
func (s *treeSum) sound(o Output) error {
	if o.Type == tensor.String || !o.Type.Valid() {
		return fmt.Errorf("a %v output cannot have a checksum tree", o.Type)
	}
	n, err := o.Shape.Elements()
	if err != nil {
		return err
	}
	leaves := leafCount(o.Type.Bytes(n))
	part := partOf(leaves)
	if want := (leaves + part - 1) / part; len(s.Parts) != want || want < 1 {
		return fmt.Errorf("the file header has %d checksums of parts, but an output of type and shape "+
			"%v%v has %d parts", len(s.Parts), o.Type, o.Shape, want)
	}
	if !IsSum(s.SHA256) {
		return fmt.Errorf("%q is not a checksum", s.SHA256)
	}
	return nil
}

// differs compares the file header's checksums with the checksums of the data. size is the length
// of the data in bytes. It returns nil if they are equal, and otherwise an error that says which
// part of the data differs.
func (s *treeSum) differs(data *treeSum, size int) error {
	part := partOf(leafCount(size)) * leafSize
	for i, sum := range data.Parts {
		if s.Parts[i] != sum {
			if s.SHA256 == data.SHA256 {
				return fmt.Errorf("the file header's checksum of part %d differs from the data's, but the "+
					"root checksums match: the file header was edited by hand", i)
			}
			return fmt.Errorf("bytes %d to %d of the data changed: their checksum "+
				"begins with %s, the file header says %q: the file was damaged, or edited by hand", i*part,
				min((i+1)*part, size)-1, sum, s.Parts[i])
		}
	}
	if s.SHA256 != data.SHA256 {
		return errors.New("the part checksums match the file header's, but the root checksum does not: " +
			"the file header was edited by hand")
	}
	return nil
}

// Sum returns the checksum of an output's data in the file header: the SHA-256 sum or, for a large
// output, "tree " and the [treeSum]. It returns "" if the header has neither.
func (o Output) Sum() string {
	if o.Tree != nil {
		return "tree " + o.Tree.SHA256
	}
	return o.SHA256
}

// overGroups splits n bytes into groups, and calls the function work with the range [lo,hi) of each
// group, on all cores. Every group consists of whole leaves ([treeSum]); only the last leaf of the
// data may be shorter.
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
