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

// nanKey returns the smallest key of a NaN.
func nanKey[K errorKey]() K { return errorKeyOf[K](math.Inf(1)) + 1 }

// ranked contains results for the absolute and for the relative errors: the errors at some ranks
// (rank 0 is the smallest error), and the number of errors that are NaN.
type ranked struct {
	at  [2]map[int]float64
	nan [2]int
}

// rank finds the errors at the given pairs of neighbouring ranks. It counts NaN only for a kind of
// errors with at least one pair.
func (p *pair) rank(pairs [2][][2]int) ranked {
	if p.wide {
		return rankErrors[uint64](p.errors64, p.n, pairs)
	}
	return rankErrors[uint32](p.errors32, p.n, pairs)
}

// errorChunks is a function that computes the absolute and the relative errors of the elements
// [lo,hi), at most 1024 of them (see [chunk]).
type errorChunks[F float32 | float64] func(lo, hi int, s *scratch) (abs, rel []F)

// rankErrors looks for the errors at each pair of ranks in the range that a sample predicts. If an
// error lies outside of that range, or too many errors lie in it, rankErrors makes further passes.
// The result is therefore exact, however bad the sample was.
func rankErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int, pairs [2][][2]int) (
	r ranked) {
	r.at = [2]map[int]float64{{}, {}}
	if n <= sortable {
		sortErrors[K](errors, n, pairs, &r)
		return r
	}
	var open [2][]*window[K]
	samples := sampleErrors[K](errors, n)
	both(func(which int) {
		size := len(samples[which])
		spare := takeBuffer[K](max(size, roomFor(n)))[:size]
		defer giveBack(spare)
		defer giveBack(samples[which])
		sample := sortKeys(samples[which], spare)
		for _, pair := range pairs[which] {
			open[which] = append(open[which], expected(pair[0], pair[1], n, sample))
		}
	})
	countErrors(errors, n, open)
	for which, windows := range open {
		if len(windows) > 0 {
			r.nan[which] = n - windows[0].below[4]
		}
	}
	for {
		both(func(which int) {
			var next []*window[K]
			for _, w := range open[which] {
				next = append(next, w.settle(r.at[which])...)
			}
			open[which] = next
		})
		if len(open[0])+len(open[1]) == 0 {
			return r
		}
		countErrors(errors, n, open)
	}
}

// sortable is the number of elements up to which sorting all errors is faster than rankErrors.
const sortable = 16 * chunk

// sortErrors does the work of rankErrors for few elements, by sorting all errors.
func sortErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int, pairs [2][][2]int,
	r *ranked) {
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
		for _, pair := range pairs[which] {
			for _, rank := range pair {
				r.at[which][rank] = errorOf(keys[rank])
			}
		}
		numbers, _ := slices.BinarySearch(keys, nanKey[K]())
		r.nan[which] = n - numbers
	}
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
func sampleErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int) (samples [2][]K) {
	for which := range samples {
		size := n / chunk * run
		samples[which] = takeBuffer[K](max(size, roomFor(n)))[:size]
	}
	overWorkers(n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo+chunk <= hi; lo += chunk {
				i := lo / chunk
				// A multiplicative hash picks a different place in each chunk, so no period in the tensor
				// biases the sample.
				at := lo + int(uint64(i)*0x9e3779b97f4a7c15>>57)%(chunk/run)*run
				abs, rel := errors(at, at+run, s)
				copy(samples[0][i*run:], keysOf[K](abs))
				copy(samples[1][i*run:], keysOf[K](rel))
			}
		}
	})
	return samples
}

// countErrors makes one pass over the errors, for windows of the absolute and the relative errors.
func countErrors[K errorKey, F float32 | float64](errors errorChunks[F], n int,
	windows [2][]*window[K]) {
	var lock sync.Mutex
	overWorkers(n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		var room [chunk]K
		below := [2][][5]int{make([][5]int, len(windows[0])), make([][5]int, len(windows[1]))}
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += chunk {
				abs, rel := errors(lo, min(lo+chunk, hi), s)
				for which, keys := range [2][]K{keysOf[K](abs), keysOf[K](rel)} {
					for i, w := range windows[which] {
						w.take(keys, &room, &below[which][i])
					}
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for which := range windows {
			for i, w := range windows[which] {
				for k, count := range below[which][i] {
					w.below[k] += count
				}
			}
		}
	})
}
