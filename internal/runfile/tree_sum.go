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

// treeSum is the checksum of an output that has more than 256 KiB: that of package treesum, which
// all cores compute. The sums of its parts say where the data was damaged, and which parts of an
// output an update changes.
type treeSum struct {
	SHA256 string   `json:"sha256"` // over the sums of all leaves
	Parts  []string `json:"parts"`  // the first 16 digits of the sum over each part's leaves
}

// fewestLeaves is how many leaves a part has at least, mostParts how many parts there are at most.
const (
	fewestLeaves = 64
	mostParts    = 64
)

// partOf is how many of n leaves go to a part; the last may have less.
func partOf(n int) int {
	part := fewestLeaves
	for (n+part-1)/part > mostParts {
		part *= 2
	}
	return part
}

// hasTree reports whether an output is written with such a checksum. Smaller ones have a plain
// SHA-256, which any tool computes, and strings too, whose bytes are not in one piece.
func hasTree(t *tensor.Tensor) bool { return t.Size() > treesum.Group }

// treeOf is the checksum over the leaves of an output.
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

// sound is an error for a checksum that no output of that type and shape has.
func (s *treeSum) sound(o Output) error {
	if o.Type == tensor.String || !o.Type.Valid() {
		return fmt.Errorf("a tree of sums over %v", o.Type)
	}
	n, err := o.Shape.Elements()
	if err != nil {
		return err
	}
	leaves := treesum.Count(o.Type.Bytes(n))
	part := partOf(leaves)
	if want := (leaves + part - 1) / part; len(s.Parts) != want || want < 1 {
		return fmt.Errorf("sums of %d parts, %v%v has %d", len(s.Parts), o.Type, o.Shape, want)
	}
	if !IsSum(s.SHA256) {
		return fmt.Errorf("%q is not a checksum", s.SHA256)
	}
	return nil
}

// differs is an error that says where data of so many bytes is not what the head says.
func (s *treeSum) differs(data *treeSum, size int) error {
	part := partOf(treesum.Count(size)) * treesum.Leaf
	for i, sum := range data.Parts {
		if s.Parts[i] != sum {
			if s.SHA256 == data.SHA256 {
				return fmt.Errorf("the head's sum of part %d is not that of the data, which its tree is: "+
					"the head was edited by hand", i)
			}
			return fmt.Errorf("bytes %d to %d of the data are not those that were written: their sum "+
				"begins with %s, the head says %q: the file was damaged, or edited by hand", i*part,
				min((i+1)*part, size)-1, sum, s.Parts[i])
		}
	}
	if s.SHA256 != data.SHA256 {
		return errors.New("the parts have the sums that the head says, and their tree has not: the " +
			"head was edited by hand")
	}
	return nil
}

// Sum is the checksum of an output's data, by either name; "" where the head has none.
func (o Output) Sum() string {
	if o.Tree != nil {
		return "tree " + o.Tree.SHA256
	}
	return o.SHA256
}

// SumOf is that checksum of other data.
func (o Output) SumOf(t *tensor.Tensor) string {
	if o.Tree == nil {
		return checksum(t)
	}
	return Output{Tree: treeOf(leavesOf(t))}.Sum()
}

// leavesOf is the sums of the leaves of a tensor, computed on all cores.
func leavesOf(t *tensor.Tensor) []treesum.Sum {
	leaves := make([]treesum.Sum, treesum.Count(t.Size()))
	overGroups(t.Size(), func(lo, hi int) {
		treesum.Leaves(leaves[lo/treesum.Leaf:][:treesum.Count(hi-lo)], t.Part(lo, hi))
	})
	return leaves
}

// overGroups calls work for every group of n bytes, on all cores.
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
