package runfile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/internal/treesum"
	"github.com/modelparity/modelparity/tensor"
)

// treeSum is the checksum of an output larger than 256 KiB. Package treesum computes it on all
// cores, from the checksums of leaves (blocks of 16 KiB). The checksums of parts, which are runs of
// leaves, show where the data is damaged and which parts of an output an update changes.
type treeSum struct {
	SHA256 string   `json:"sha256"` // SHA-256 of the checksums of all leaves
	Parts  []string `json:"parts"`  // the first 16 digits of each part's checksum
}

// fewestLeaves is the minimum number of leaves per part. mostParts is the maximum number of parts.
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
func hasTree(t *tensor.Tensor) bool { return t.Size() > treesum.Group }

// treeOf combines the checksums of an output's leaves into a tree checksum.
func treeOf(leaves []treesum.Sum) *treeSum {
	root := treesum.Over(leaves)
	sum := &treeSum{SHA256: hex.EncodeToString(root[:])}
	part := partOf(len(leaves))
	for ; len(leaves) > 0; leaves = leaves[min(part, len(leaves)):] {
		of := treesum.Over(leaves[:min(part, len(leaves))])
		sum.Parts = append(sum.Parts, hex.EncodeToString(of[:8]))
	}
	return sum
}

// sound returns an error if the checksums do not fit the output's type and shape.
func (s *treeSum) sound(o Output) error {
	if o.Type == tensor.String || !o.Type.Valid() {
		return fmt.Errorf("a tree checksum for %v", o.Type)
	}
	n, err := o.Shape.Elements()
	if err != nil {
		return err
	}
	leaves := treesum.Count(o.Type.Bytes(n))
	part := partOf(leaves)
	if want := (leaves + part - 1) / part; len(s.Parts) != want || want < 1 {
		return fmt.Errorf("the head has checksums for %d parts, but %v%v has %d parts",
			len(s.Parts), o.Type, o.Shape, want)
	}
	if !IsSum(s.SHA256) {
		return fmt.Errorf("%q is not a checksum", s.SHA256)
	}
	return nil
}

// differs compares the head's checksums with the checksums of the data, which has size bytes. It
// returns nil if they are equal, and otherwise an error that says which part of the data differs.
func (s *treeSum) differs(data *treeSum, size int) error {
	part := partOf(treesum.Count(size)) * treesum.Leaf
	for i, sum := range data.Parts {
		if s.Parts[i] != sum {
			if s.SHA256 == data.SHA256 {
				return fmt.Errorf("the head's checksum of part %d differs from the data's, but the root "+
					"checksums match: the head was edited by hand", i)
			}
			return fmt.Errorf("bytes %d to %d of the data changed: their checksum "+
				"begins with %s, the head says %q: the file was damaged, or edited by hand", i*part,
				min((i+1)*part, size)-1, sum, s.Parts[i])
		}
	}
	if s.SHA256 != data.SHA256 {
		return errors.New("the part checksums match the head's, but the root checksum does not: the " +
			"head was edited by hand")
	}
	return nil
}

// Sum returns the checksum of an output's data, plain or tree, as the head states it, or "" if the
// head has none.
func (o Output) Sum() string {
	if o.Tree != nil {
		return "tree " + o.Tree.SHA256
	}
	return o.SHA256
}

// overGroups calls work for every group of leaves in n bytes, on all cores.
func overGroups(n int, work func(lo, hi int)) {
	var drawn atomic.Int64
	worker := func() {
		for {
			lo := int(drawn.Add(1)-1) * treesum.Group
			if lo >= n {
				return
			}
			work(lo, min(lo+treesum.Group, n))
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+treesum.Group-1)/treesum.Group) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
}
