package compare

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// errorKey is the type of a key: the bits of an error without the sign bit. Errors are not
// negative, so keys sort like errors; NaN sorts after infinity.
type errorKey interface{ uint32 | uint64 }

// signOf returns the sign bit, which keys lack. It is also the number of possible keys.
func signOf[K errorKey]() K { return K(1) << (8*unsafe.Sizeof(K(0)) - 1) }

// keysOf returns errors as keys, in the same memory.
func keysOf[K errorKey, F float32 | float64](errors []F) []K {
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(errors))), len(errors))
}

// errorKeyOf returns the key of a number that is not negative, as wide as K.
func errorKeyOf[K errorKey](v float64) K {
	if unsafe.Sizeof(K(0)) == 8 {
		return K(math.Float64bits(v))
	}
	return K(bits32(float32(v)))
}

// errorOf returns the error for a key.
func errorOf[K errorKey](k K) float64 {
	if unsafe.Sizeof(K(0)) == 8 {
		return math.Float64frombits(uint64(k))
	}
	return float64(frombits32(uint32(k)))
}

// ranked holds, for the absolute errors and for the relative errors, the errors at some ranks (0 is
// the least) and, for some keys, the number of errors below the key.
type ranked struct {
	values [2][]float64
	below  [2][]int
}

// rank finds the errors at the given ranks and counts the errors below the given keys. The keys
// have the width of the errors.
func (p *pair) rank(ranks [2][]int, edges [2][]uint64, workers int) ranked {
	if p.wide {
		return rankErrors[uint64](p.errors64, p.n, ranks, edges, workers)
	}
	return rankErrors[uint32](p.errors32, p.n, ranks, edges, workers)
}

// errorStrips is a function that computes the errors of elements [lo,hi), at most one [strip] of
// them.
type errorStrips[F float32 | float64] func(lo, hi int, s *scratch) (abs, rel []F)

// rankErrors cuts the keys into intervals and counts the errors in each. It keeps the errors of
// the intervals in which a sample predicts the wanted ranks. If a rank turns out to lie
// elsewhere, rankErrors makes another pass, so the result is exact whatever the sample was.
func rankErrors[K errorKey, F float32 | float64](errors errorStrips[F], n int, ranks [2][]int,
	edges [2][]uint64, workers int) (r ranked) {
	if n <= sortable {
		return sortErrors[K](errors, n, ranks, edges)
	}
	cuts := [2]*cut[K]{takeCut[K](), takeCut[K]()}
	defer giveBack(cuts)
	sampleErrors(errors, n, workers, &cuts)
	both(func(which int) { cuts[which].expect(n, ranks[which], edges[which]) })
	cutErrors(errors, n, workers, &cuts)
	for which, c := range cuts {
		for _, edge := range edges[which] {
			r.below[which] = append(r.below[which], c.below[slices.Index(c.points, K(edge))])
		}
	}
	for {
		both(func(which int) { cuts[which].settle() })
		if len(cuts[0].open)+len(cuts[1].open) == 0 {
			break
		}
		both(func(which int) { cuts[which].refine() })
		cutErrors(errors, n, workers, &cuts)
	}
	for which, c := range cuts {
		for _, rank := range ranks[which] {
			r.values[which] = append(r.values[which], errorOf(c.found[rank]))
		}
	}
	return r
}

// sortable is the number of elements up to which sorting all errors is faster than rankErrors.
const sortable = 16 * strip

// sortErrors does the work of rankErrors for few elements, by sorting all errors.
func sortErrors[K errorKey, F float32 | float64](errors errorStrips[F], n int, ranks [2][]int,
	edges [2][]uint64) (r ranked) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	var all [2][]K
	for lo := 0; lo < n; lo += strip {
		abs, rel := errors(lo, min(lo+strip, n), s)
		all[0] = append(all[0], keysOf[K](abs)...)
		all[1] = append(all[1], keysOf[K](rel)...)
	}
	for which, keys := range all {
		keys = sortKeys(keys, make([]K, n))
		for _, rank := range ranks[which] {
			r.values[which] = append(r.values[which], errorOf(keys[rank]))
		}
		for _, edge := range edges[which] {
			below, _ := slices.BinarySearch(keys, K(edge))
			r.below[which] = append(r.below[which], below)
		}
	}
	return r
}

// both runs work for the absolute and for the relative errors concurrently.
func both(work func(which int)) {
	var group sync.WaitGroup
	group.Go(func() { work(0) })
	work(1)
	group.Wait()
}

// The sample takes one run of neighbouring elements from each strip, because reading a whole cache
// line costs no more than reading one element. Neighbours may have equal errors, so the statistics
// count a run as a single independent draw.
const (
	run   = 8
	reach = 3.5 // how far a wanted rank may lie from its predicted position, in standard deviations
)

// sampleErrors draws a sample of the absolute and of the relative errors.
func sampleErrors[K errorKey, F float32 | float64](errors errorStrips[F], n, workers int,
	cuts *[2]*cut[K]) {
	for _, c := range cuts {
		c.sample = resized(c.sample, n/strip*run)
	}
	overWorkers(n, workers, func(s *scratch, next func() (lo, hi int, ok bool)) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo+strip <= hi; lo += strip {
				i := lo / strip
				// A multiplicative hash picks a different place in each strip, so no period in the tensor
				// biases the sample.
				at := lo + int(uint64(i)*0x9e3779b97f4a7c15>>57)%(strip/run)*run
				abs, rel := errors(at, at+run, s)
				copy(cuts[0].sample[i*run:], keysOf[K](abs))
				copy(cuts[1].sample[i*run:], keysOf[K](rel))
			}
		}
	})
}

const (
	mostPoints = 1 << 10
	parts      = 32 // the number of intervals into which refine divides an interval
)

// roomFor returns how many of n errors can be kept. It is proportional to the square root of n,
// like the number of errors within reach of a median and three quantiles.
func roomFor(n int) int { return int(300 * math.Sqrt(float64(n))) }

// cut holds the intervals into which a pass sorts the keys of the absolute or of the relative
// errors.
type cut[K errorKey] struct {
	open  []int // the ranks not found yet
	found map[int]K
	// Interval i holds the keys in [points[i],points[i+1]); the first point is 0.
	points []K
	limits [mostPoints]K    // limits[i] is points[i+1], the end of interval i
	keep   [mostPoints]bool // whether to copy the errors in the interval
	slots  [1 << 16]uint16  // maps a key's first 16 bits to the interval of the least such key
	counts [mostPoints]int
	below  []int // the number of errors below each point
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

// expect places interval boundaries around the keys that the sample predicts for the ranks, and
// at each edge.
func (c *cut[K]) expect(n int, ranks []int, edges []uint64) {
	c.open, c.found = ranks, map[int]K{}
	c.kept = resized(c.kept, roomFor(n))
	var points []K
	for _, edge := range edges {
		points = append(points, K(edge))
	}
	var wanted []keySpan[K]
	sample := c.sorted(c.sample)
	for _, rank := range ranks {
		w := expected(rank, n, sample)
		// Many errors may equal a boundary, so each boundary is an interval of its own, whose
		// errors need not be kept.
		points = append(points, w.lo, w.lo+1, w.hi-1, w.hi)
		wanted = append(wanted, w)
	}
	c.arrange(points, wanted)
}

// sorted returns keys in ascending order. It overwrites keys; the result is keys or spare memory of
// c.
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

// arrange makes the intervals between points, and marks those in the wanted ranges to be kept.
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
	i, shift := 0, c.shift()
	for slot := range c.slots {
		for c.limits[i] <= K(slot)<<shift {
			i++
		}
		c.slots[slot] = uint16(i)
	}
}

// shift returns by how much to shift a key right to leave its first 16 bits.
func (c *cut[K]) shift() int { return int(8*unsafe.Sizeof(K(0))) - 17 }

// share is one worker's part of a pass.
type share[K errorKey] struct {
	counts [mostPoints]int
	kept   [strip]K
}

// take counts the keys of a strip by interval, and copies the keys of intervals whose errors are
// kept.
func (c *cut[K]) take(keys []K, own *share[K]) {
	sign, shift, n := signOf[K](), c.shift(), 0
	for _, k := range keys {
		k &^= sign
		i := c.slots[uint16(k>>shift)] % mostPoints
		for k >= c.limits[i] {
			i = (i + 1) % mostPoints
		}
		own.counts[i]++
		if c.keep[i] {
			own.kept[n%strip] = k
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

// cutErrors computes all errors once, and counts and keeps them by the intervals of cuts.
func cutErrors[K errorKey, F float32 | float64](errors errorStrips[F], n, workers int,
	cuts *[2]*cut[K]) {
	var lock sync.Mutex
	overWorkers(n, workers, func(s *scratch, next func() (lo, hi int, ok bool)) {
		var own [2]share[K]
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += strip {
				abs, rel := errors(lo, min(lo+strip, hi), s)
				cuts[0].take(keysOf[K](abs), &own[0])
				cuts[1].take(keysOf[K](rel), &own[1])
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for which, c := range cuts {
			for i := range c.points {
				c.counts[i] += own[which].counts[i]
			}
		}
	})
	for _, c := range cuts {
		c.below = make([]int, len(c.points))
		for i := 1; i < len(c.points); i++ {
			c.below[i] = c.below[i-1] + c.counts[i-1]
		}
	}
}

// settle finds the error at each open rank whose interval holds a single key or whose errors were
// kept.
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
			c.found[rank] = lo
		case fits && c.keep[i]:
			from, _ := slices.BinarySearch(kept, lo)
			c.found[rank] = kept[from+rank-c.below[i]]
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

// refine divides the intervals that contain the open ranks.
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
