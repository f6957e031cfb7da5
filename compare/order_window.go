package compare

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// window is a range of keys (see [errorKey]) in which the errors at some neighbouring ranks are
// looked for. A pass over the errors counts the keys below each of four points in the range, and
// copies the keys in one part of the range. It also counts the keys that are not NaN.
type window[K errorKey] struct {
	division[K]
	ranks  []int
	lo, hi K      // the range, [lo,hi)
	under  int    // the number of errors below lo
	below  [5]int // the number of errors below each point
	kept   []K
	used   atomic.Int64 // how much of kept is used; more than len(kept) if it overflowed
}

// division says what one call of [tally] does: it counts the keys below each point, and copies the
// keys from first to last.
type division[K errorKey] struct {
	points      [5]K // four points, ascending, and the smallest key of a NaN
	first, last K    // first > last if no key is copied
}

// roomFor returns the size of the buffer for the keys that a pass over n errors copies. It grows
// with √n, as does the number of errors in the range in which the first pass looks for a quantile.
func roomFor(n int) int { return int(200 * math.Sqrt(float64(n))) }

// buffers contains buffers of 32-bit and of 64-bit keys for reuse: they are large, and clearing new
// ones takes time that a passing comparison would notice.
var buffers [2]sync.Pool

func takeBuffer[K errorKey](n int) []K {
	if used, ok := buffers[unsafe.Sizeof(K(0))/8].Get().(*[]K); ok {
		return slices.Grow((*used)[:0], n)[:n]
	}
	return make([]K, n)
}

func giveBack[K errorKey](buffer []K) { buffers[unsafe.Sizeof(K(0))/8].Put(&buffer) }

// expected returns the window in which the errors at two neighbouring ranks almost certainly lie,
// given a sorted sample.
func expected[K errorKey](lower, upper, n int, sample []K) *window[K] {
	position := func(rank int, reach float64) float64 { // in the sample
		m, q := float64(len(sample)), (float64(rank)+0.5)/float64(n)
		return float64(q*m) + float64(reach*math.Sqrt(m*run*q*(1-q))) + math.Copysign(2*run, reach)
	}
	lo, hi, largest := K(0), signOf[K]()-1, signOf[K]()-1
	if low := int(math.Floor(position(lower, -reach))); low >= 0 {
		lo = sample[low]
	}
	if high := int(math.Ceil(position(upper, reach))); high < len(sample) {
		hi = min(sample[high]+1, largest)
	}
	w := &window[K]{ranks: []int{lower, upper}, hi: signOf[K](), kept: takeBuffer[K](roomFor(n))}
	// Many errors may equal the least or the greatest key of the range. These two keys are not copied.
	w.points = [5]K{lo, min(lo+1, largest), max(hi, 1) - 1, hi, nanKey[K]()}
	slices.Sort(w.points[:4])
	if w.first, w.last = lo+1, hi-2; hi < lo+3 {
		w.first, w.last = largest, 0
	}
	return w
}

// narrowed returns a window whose points divide the range [lo,hi) into equal parts.
func narrowed[K errorKey](rank int, lo, hi K, under, room int) *window[K] {
	w := &window[K]{ranks: []int{rank}, lo: lo, hi: hi, under: under, kept: takeBuffer[K](room)}
	w.first, w.last = lo, hi-1
	for i := range w.points[:4] {
		w.points[i] = min(lo+max(1, (hi-lo)/5)*K(i+1), hi-1)
	}
	w.points[4] = nanKey[K]()
	return w
}

// take counts the keys below each point and adds the counts to below. It copies the keys from first
// to last. There may be at most 1024 keys; room is a buffer for them.
func (w *window[K]) take(keys []K, room *[chunk]K, below *[5]int) {
	var counts [5]uint32
	done, n := 0, 0
	if by, isNarrow := any(&w.division).(*division[uint32]); isNarrow {
		done, n = tally(any(keys).([]uint32), any(room).(*[chunk]uint32)[:], by, &counts)
	}
	from, to := w.points[0], w.points[3]
	if w.first <= w.last {
		from, to = min(from, w.first), max(to, w.last+1)
	}
	sign, shift, isNaN, width := signOf[K](), (8*unsafe.Sizeof(K(0))-1)&63, w.points[4], to-from
	var less, numbers K // the sign bit of k−x is set if k < x; a branch would be mispredicted
	for _, k := range keys[done:] {
		k &^= sign
		numbers += (k - isNaN) >> shift
		if k-from >= width {
			less += (k - from) >> shift
			continue
		}
		for i, point := range w.points[:4] {
			if k < point {
				counts[i]++
			}
		}
		if w.first <= k && k <= w.last {
			room[n%chunk] = k
			n++
		}
	}
	for i, count := range counts[:4] {
		below[i] += int(count) + int(less)
	}
	below[4] += int(counts[4]) + int(numbers)
	if n == 0 {
		return
	}
	if end := int(w.used.Add(int64(n))); end <= len(w.kept) {
		copy(w.kept[end-n:], room[:n])
	}
}

// settle stores in found the errors at the window's ranks. It can do so for a rank if the part of
// the window between two points has a single possible key, or if the keys in it were copied. For
// each other rank, it returns a smaller window.
func (w *window[K]) settle(found map[int]float64) (open []*window[K]) {
	used := int(w.used.Load())
	fits := used <= len(w.kept)
	var kept []K
	if fits {
		spare := takeBuffer[K](len(w.kept))[:used]
		defer giveBack(spare)
		kept = sortKeys(w.kept[:used], spare)
	}
	defer giveBack(w.kept)
	for _, rank := range w.ranks {
		lo, hi, under := w.lo, w.hi, w.under
		for i, point := range w.points[:4] {
			if w.below[i] > rank {
				hi = point
				break
			}
			lo, under = point, w.below[i]
		}
		switch {
		case hi-lo == 1:
			found[rank] = errorOf(lo)
		case fits && w.first <= lo && hi-1 <= w.last:
			from, _ := slices.BinarySearch(kept, lo)
			found[rank] = errorOf(kept[from+rank-under])
		default:
			open = append(open, narrowed(rank, lo, hi, under, len(w.kept)))
		}
	}
	return open
}

// sortKeys sorts keys by digits of 11 bits, after clearing their sign bits. The result is in keys
// or in spare, which must have the same length.
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
