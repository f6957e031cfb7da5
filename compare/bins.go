package compare

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// binned are keys in the order of their brackets, and within a bracket in that of its equal parts,
// the bins; within a bin they have none until somebody asks. So a few ranks cost no sort.
type binned[K errorKey] struct {
	keys   []K
	starts []int // of the bins, and the end of the last; nil where all keys are sorted
	// brackets are as many bins each.
	brackets []bracket[K]
	digits   int // of the number of bins, in base 2
}

// inBins puts keys, each within one of some brackets that do not overlap, into bins. It may use
// both slices, which are as long. Few keys are sorted, and those of more than four brackets.
func inBins[K errorKey](keys, into []K, brackets []bracket[K], digits int) binned[K] {
	b := binned[K]{keys: into, brackets: brackets, digits: digits}
	if len(keys) < 1<<digits || len(brackets) > 4 {
		b.keys = sortKeys(keys, into)
		return b
	}
	// A key's bracket is how many of the others it is not below; a subtraction has the sign of that.
	var los [4]K
	others, shifts := [3]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, [4]uint{}
	for j, of := range brackets {
		los[j] = of.lo
		shifts[j] = uint(max(0, bits.Len64(uint64(of.hi-of.lo))-digits))
		if j > 0 {
			others[j-1] = int64(of.lo) - 1
		}
	}
	bin := func(k K) int {
		j := uint64(others[0]-int64(k))>>63 + uint64(others[1]-int64(k))>>63 +
			uint64(others[2]-int64(k))>>63
		return int(j<<digits) + int((k-los[j&3])>>(shifts[j&3]&63))
	}
	starts := make([]int, len(brackets)<<digits+2)
	for _, k := range keys {
		starts[bin(k)+2]++
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for _, k := range keys {
		at := &starts[bin(k)+1]
		into[*at] = k
		*at++
	}
	b.starts = starts[:len(starts)-1]
	return b
}

// of is where the keys of a bracket begin and end.
func (b *binned[K]) of(slot int) (from, to int) {
	if b.starts != nil {
		return b.starts[slot<<b.digits], b.starts[(slot+1)<<b.digits]
	}
	from, _ = slices.BinarySearch(b.keys, b.brackets[slot].lo)
	to, _ = slices.BinarySearch(b.keys, b.brackets[slot].hi)
	return from, to
}

// at is the key of a rank, for which its bin is sorted.
func (b *binned[K]) at(rank int) K {
	if b.starts != nil {
		bin := sort.SearchInts(b.starts, rank+1) - 1
		slices.Sort(b.keys[b.starts[bin]:b.starts[bin+1]])
	}
	return b.keys[rank]
}
