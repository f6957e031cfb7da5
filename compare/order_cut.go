package compare

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	mostPoints = 1 << 10
	parts      = 32 // the number of intervals into which refine divides an interval
)

// roomFor returns the size of the buffer cut.kept for n errors. A pass over the errors copies only
// the keys near the wanted ranks to this buffer, so the buffer can be much smaller than n.
func roomFor(n int) int { return int(400 * math.Sqrt(float64(n))) }

// cut divides the range of keys (see [errorKey]) into intervals. A pass over the errors counts the
// keys in each interval, and copies the keys in some of them. There is one cut for the absolute
// errors and one for the relative errors.
type cut[K errorKey] struct {
	open  []int // the ranks not found yet
	found map[int]float64
	// Interval i contains the keys in [points[i],points[i+1]); the first point is 0.
	points []K
	limits [mostPoints]K    // limits[i] is points[i+1], the end of interval i
	keep   [mostPoints]bool // whether to copy the errors in the interval
	slots  [1 << 16]uint16  // maps a key's first 16 bits to the interval of the least such key
	counts [mostPoints]int
	below  []int // the number of errors below each point
	groups []group
	kept   []K
	used   atomic.Int64 // how much of kept is used; more than len(kept) if it overflowed

	sample, spare []K
}

var pools = [2]sync.Pool{{New: func() any { return new(cut[uint32]) }},
	{New: func() any { return new(cut[uint64]) }}}

func takeCut[K errorKey]() *cut[K] { return pools[unsafe.Sizeof(K(0))/8].Get().(*cut[K]) }

func giveBack[K errorKey](cuts [2]*cut[K]) {
	for _, c := range cuts {
		pools[unsafe.Sizeof(K(0))/8].Put(c)
	}
}

// resized returns a slice of n elements, reusing the memory of s if it is large enough.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// expect sets the boundaries of the intervals. Each histogram edge is a boundary. For each wanted
// rank, the sample predicts a range for the error at that rank; both ends of the range are
// boundaries too.
func (c *cut[K]) expect(n int, ranks []int, edges []uint64) {
	c.open, c.found = ranks, map[int]float64{}
	c.kept = resized(c.kept, roomFor(n))
	var points []K
	for _, edge := range edges {
		points = append(points, K(edge))
	}
	var wanted []keySpan[K]
	sample := c.sorted(c.sample)
	for _, rank := range ranks {
		w := expected(rank, n, sample)
		if last := len(wanted) - 1; last >= 0 && w.lo < wanted[last].hi && wanted[last].lo < w.hi {
			w = keySpan[K]{min(w.lo, wanted[last].lo), max(w.hi, wanted[last].hi)}
			wanted, points = wanted[:last], points[:len(points)-4]
		}
		// Many errors may equal a boundary, so each boundary is an interval of its own, whose
		// errors need not be kept.
		points = append(points, w.lo, w.lo+1, w.hi-1, w.hi)
		wanted = append(wanted, w)
	}
	c.arrange(points, wanted)
}

// sorted returns the keys in ascending order. It overwrites the slice keys; the result is stored in
// that slice or in spare memory of c.
func (c *cut[K]) sorted(keys []K) []K {
	c.spare = resized(c.spare, len(keys))
	return sortKeys(keys, c.spare)
}

// keySpan is the half-open range of keys [lo,hi).
type keySpan[K errorKey] struct{ lo, hi K }

// expected returns the range in which the error at a rank almost certainly lies, given a sorted
// sample.
func expected[K errorKey](rank, n int, sample []K) keySpan[K] {
	m := float64(len(sample))
	q := (float64(rank) + 0.5) / float64(n)
	spread := float64(reach*math.Sqrt(m*run*q*(1-q))) + 2*run
	w := keySpan[K]{0, signOf[K]()}
	if low := int(math.Floor(float64(q*m) - spread)); low >= 0 {
		w.lo = sample[low]
	}
	if high := int(math.Ceil(float64(q*m) + spread)); high < len(sample) {
		w.hi = sample[high] + 1
	}
	return w
}

// arrange makes an interval between each pair of neighbouring boundary points. It sets keep for the
// intervals in the wanted ranges: a pass copies the keys in these intervals.
func (c *cut[K]) arrange(points []K, wanted []keySpan[K]) {
	points = append(points, 0)
	slices.Sort(points)
	end := signOf[K]()
	points = slices.DeleteFunc(slices.Compact(points), func(k K) bool { return k >= end })
	c.points = points
	clear(c.counts[:])
	c.used.Store(0)
	for i, lo := range points {
		c.limits[i] = end
		if i+1 < len(points) {
			c.limits[i] = points[i+1]
		}
		c.keep[i] = c.limits[i]-lo > 1 && slices.ContainsFunc(wanted, func(w keySpan[K]) bool {
			return w.lo <= lo && lo < w.hi
		})
	}
	c.group()
	i, shift := 0, c.shift()
	for slot := range c.slots {
		for c.limits[i] <= K(slot)<<shift {
			i++
		}
		c.slots[slot] = uint16(i)
	}
}

// shift returns by how many bits to shift a key to the right so that its first 16 bits remain.
func (c *cut[K]) shift() int { return int(8*unsafe.Sizeof(K(0))) - 17 }

// share contains the counts of one worker in a pass, and a buffer for the keys that it copies.
type share[K errorKey] struct {
	counts [mostPoints]int
	kept   [chunk]K
}

// take counts the keys in each interval of c, and adds the counts to own.counts. If c.keep is true
// for an interval, take also copies the keys in that interval to c.kept, if there is room for them.
// There may be at most 1024 keys.
func (c *cut[K]) take(keys []K, own *share[K]) {
	sign, shift, n := signOf[K](), c.shift(), 0
	if len(c.groups) > 0 {
		var done int
		done, n = c.takeGroups(keys, own)
		keys = keys[done:]
	}
	for _, k := range keys {
		k &^= sign
		i := c.slots[uint16(k>>shift)] % mostPoints
		for k >= c.limits[i] {
			i = (i + 1) % mostPoints
		}
		own.counts[i]++
		if c.keep[i] {
			own.kept[n%chunk] = k
			n++
		}
	}
	if n == 0 {
		return
	}
	if end := int(c.used.Add(int64(n))); end <= len(c.kept) {
		copy(c.kept[end-n:], own.kept[:n])
	}
}

// settle finds the numerical error at each rank in c.open, as far as the last pass allows. Rank 0
// has the smallest error. settle finds the error at a rank if the rank's interval has a single
// possible key, or if the pass copied the keys in that interval.
func (c *cut[K]) settle() {
	used := int(c.used.Load())
	fits := used <= len(c.kept)
	kept := c.kept[:0]
	if fits {
		kept = c.sorted(c.kept[:used])
	}
	c.open = slices.DeleteFunc(slices.Clone(c.open), func(rank int) bool {
		i := c.intervalOf(rank)
		lo, hi := c.points[i], c.limits[i]
		switch {
		case hi-lo == 1:
			c.found[rank] = errorOf(lo)
		case fits && c.keep[i]:
			from, _ := slices.BinarySearch(kept, lo)
			c.found[rank] = errorOf(kept[from+rank-c.below[i]])
		default:
			return false
		}
		return true
	})
}

func (c *cut[K]) intervalOf(rank int) int {
	i, _ := slices.BinarySearchFunc(c.below, rank+1, cmp.Compare[int])
	return i - 1
}

// refine splits the intervals that contain the ranks in c.open into smaller ones.
func (c *cut[K]) refine() {
	var points []K
	var wanted []keySpan[K]
	for _, rank := range c.open {
		i := c.intervalOf(rank)
		w := keySpan[K]{c.points[i], c.limits[i]}
		wanted = append(wanted, w)
		for part := K(0); part < parts; part++ {
			points = append(points, w.lo+max(1, (w.hi-w.lo)/parts)*part)
		}
		points = append(points, w.hi)
	}
	c.arrange(points, wanted)
}

// sortKeys sorts keys by digits of 11 bits, after clearing their sign bits. The result is in keys
// or in spare.
func sortKeys[K errorKey](keys, spare []K) []K {
	sign := signOf[K]()
	for i := range keys {
		keys[i] &^= sign
	}
	if len(keys) < 256 {
		slices.Sort(keys)
		return keys
	}
	for shift := 0; shift < int(8*unsafe.Sizeof(K(0))); shift += 11 {
		var starts [1 << 11]int
		for _, k := range keys {
			starts[k>>shift&(1<<11-1)]++
		}
		if starts[keys[0]>>shift&(1<<11-1)] == len(keys) {
			continue // all keys have the same digit
		}
		at := 0
		for digit, n := range starts {
			starts[digit], at = at, at+n
		}
		for _, k := range keys {
			digit := k >> shift & (1<<11 - 1)
			spare[starts[digit]] = k
			starts[digit]++
		}
		keys, spare = spare, keys
	}
	return keys
}
