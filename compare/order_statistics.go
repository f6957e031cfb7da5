package compare

import (
	"math"
	"slices"
	"sync"
	"unsafe"
)

// errorKey is the type of a key: the bits of an error without the sign bit. Errors are not
// negative, so keys sort like errors; NaN sorts after infinity.
type errorKey interface{ uint32 | uint64 }

// signOf returns the sign bit of K, which is 0 in every key. It is also the number of possible
// keys.
func signOf[K errorKey]() K { return K(1) << (8*unsafe.Sizeof(K(0)) - 1) }

// keysOf reinterprets errors as keys without copying them.
func keysOf[K errorKey, F float32 | float64](errors []F) []K {
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(errors))), len(errors))
}

// errorKeyOf returns the key that represents an error (see [errorKey]).
func errorKeyOf[K errorKey](v float64) K {
	if unsafe.Sizeof(K(0)) == 8 {
		return K(math.Float64bits(v))
	}
	return K(bits32(float32(v)))
}

// errorOf returns the error that a key represents (see [errorKey]).
func errorOf[K errorKey](k K) float64 {
	if unsafe.Sizeof(K(0)) == 8 {
		return math.Float64frombits(uint64(k))
	}
	return float64(frombits32(uint32(k)))
}

// ranked contains results for the absolute and for the relative errors: the errors at the wanted
// ranks (rank 0 is the smallest error), and the number of errors below each edge of a histogram.
type ranked struct {
	at    [2]map[int]float64
	below [2][]int
}

// rank finds the errors at the given ranks. It also counts the errors below each of the edges,
// which are keys of errors (see [errorKey]).
func (p *pair) rank(ranks [2][]int, edges [2][]uint64) ranked {
	if p.wide {
		return rankErrors[uint64](p.errors64, p.n, ranks, edges)
	}
	return rankErrors[uint32](p.errors32, p.n, ranks, edges)
}

// errorChunks is a function that computes the absolute and the relative errors of the elements
// [lo,hi), at most 1024 of them (see [chunk]).
type errorChunks[F float32 | float64] func(lo, hi int, s *scratch) (abs, rel []F)

// rankErrors splits the range of keys into intervals and counts the errors in each. It keeps the
// errors of the intervals in which a sample predicts the wanted ranks. If the error at a rank lies
// in a different interval, rankErrors makes a further pass. The result is therefore exact, however
// bad the sample was.
func rankErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int, ranks [2][]int,
	edges [2][]uint64) (r ranked) {
	if n <= sortable {
		return sortErrors[K](errors, n, ranks, edges)
	}
	cuts := [2]*cut[K]{takeCut[K](), takeCut[K]()}
	defer giveBack(cuts)
	sampleErrors(errors, n, &cuts)
	both(func(which int) { cuts[which].expect(n, ranks[which], edges[which]) })
	cutErrors(errors, n, &cuts)
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
		cutErrors(errors, n, &cuts)
	}
	r.at = [2]map[int]float64{cuts[0].found, cuts[1].found}
	return r
}

// sortable is the number of elements up to which sorting all errors is faster than rankErrors.
const sortable = 16 * chunk

// sortErrors does the work of rankErrors for few elements, by sorting all errors.
func sortErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int, ranks [2][]int,
	edges [2][]uint64) (r ranked) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	var all [2][]K
	for lo := 0; lo < n; lo += chunk {
		abs, rel := errors(lo, min(lo+chunk, n), s)
		all[0] = append(all[0], keysOf[K](abs)...)
		all[1] = append(all[1], keysOf[K](rel)...)
	}
	for which, keys := range all {
		keys = sortKeys(keys, make([]K, n))
		r.at[which] = map[int]float64{}
		for _, rank := range ranks[which] {
			r.at[which][rank] = errorOf(keys[rank])
		}
		for _, edge := range edges[which] {
			below, _ := slices.BinarySearch(keys, K(edge))
			r.below[which] = append(r.below[which], below)
		}
	}
	return r
}

// both calls work(0), which handles the absolute errors, and work(1), which handles the relative
// errors, concurrently.
func both(work func(which int)) {
	var group sync.WaitGroup
	group.Go(func() { work(0) })
	work(1)
	group.Wait()
}

// The sample takes one run of neighbouring elements from every 1024 elements, because reading a
// whole cache line costs no more than reading one element. Neighbours may have equal errors, so
// each run of neighbours counts as only one independent draw.
const (
	run   = 8
	reach = 3.5 // how far a wanted rank may lie from its predicted position, in standard deviations
)

// sampleErrors draws a sample of the absolute and of the relative errors.
func sampleErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int,
	cuts *[2]*cut[K]) {
	for _, c := range cuts {
		c.sample = resized(c.sample, n/chunk*run)
	}
	overWorkers(n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo+chunk <= hi; lo += chunk {
				i := lo / chunk
				// A multiplicative hash picks a different place in each chunk, so no period in the tensor
				// biases the sample.
				at := lo + int(uint64(i)*0x9e3779b97f4a7c15>>57)%(chunk/run)*run
				abs, rel := errors(at, at+run, s)
				copy(cuts[0].sample[i*run:], keysOf[K](abs))
				copy(cuts[1].sample[i*run:], keysOf[K](rel))
			}
		}
	})
}

// cutErrors makes one pass over the absolute and the relative errors. It stores in each cut how
// many errors lie in each interval, and copies the errors in the intervals that the cut keeps.
func cutErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int,
	cuts *[2]*cut[K]) {
	var lock sync.Mutex
	overWorkers(n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		var own [2]share[K]
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += chunk {
				abs, rel := errors(lo, min(lo+chunk, hi), s)
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
