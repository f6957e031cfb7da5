package compare

import (
	"math"
	"slices"
	"sync"
	"unsafe"
)

// errorKey is the type of a key: the bits of an error, shifted left to remove the sign bit. Errors
// are not negative, so keys sort like errors; NaN sorts after infinity.
type errorKey interface{ uint32 | uint64 }

// keyOf returns the key of a number that is not negative.
func keyOf[K errorKey](v float64) K {
	if unsafe.Sizeof(K(0)) == 8 {
		return K(math.Float64bits(v) << 1)
	}
	return K(bits32(float32(v)) << 1)
}

// errorOf returns the error for a key.
func errorOf[K errorKey](k K) float64 {
	if unsafe.Sizeof(K(0)) == 8 {
		return math.Float64frombits(uint64(k) >> 1)
	}
	return float64(frombits32(uint32(k) >> 1))
}

// bitsOf returns the bits of errors, in the same memory.
func bitsOf[K errorKey, F float32 | float64](errors []F) []K {
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(errors))), len(errors))
}

// ranked holds results for the absolute and for the relative errors: the errors at some ranks (rank
// 0 is the least error), and the number of errors below each bin of the histogram but the first.
type ranked struct {
	values [2][]float64
	below  [2][]int
}

// rank finds the errors at the given ranks. If most is not nil, it holds the greatest absolute and
// the greatest relative error, and rank counts the errors below the bins of their histograms.
func (p *pair) rank(ranks [2][]int, most *[2]float64, workers int) ranked {
	if p.wide {
		return rankErrors[uint64](p.errors64, p.n, ranks, most, workers)
	}
	return rankErrors[uint32](p.errors32, p.n, ranks, most, workers)
}

// errorStrips is a function that computes the errors of elements [lo,hi), at most one [strip] of
// them.
type errorStrips[F float32 | float64] func(lo, hi int, s *scratch) (abs, rel []F)

// sortable is the number of elements up to which sorting all errors is faster than counting digits.
const sortable = 16 * strip

func rankErrors[K errorKey, F float32 | float64](errors errorStrips[F], n int, ranks [2][]int,
	most *[2]float64, workers int) (r ranked) {
	var searches [2]search[K]
	for which := range searches {
		var bins []K
		if most != nil {
			bins = edges[K](most[which])
		}
		searches[which].begin(ranks[which], bins)
	}
	if n <= sortable {
		sortErrors(errors, n, &searches)
	} else {
		for searches[0].shift > 0 {
			countErrors(errors, n, workers, &searches)
		}
	}
	for which := range searches {
		for _, k := range searches[which].found {
			r.values[which] = append(r.values[which], errorOf(k))
		}
		r.below[which] = searches[which].belowEdge
	}
	return r
}

// sortErrors completes the searches by sorting all errors.
func sortErrors[K errorKey, F float32 | float64](errors errorStrips[F], n int,
	searches *[2]search[K]) {
	scratch := scratches.Get().(*scratch)
	defer scratches.Put(scratch)
	var all [2][]K
	for lo := 0; lo < n; lo += strip {
		abs, rel := errors(lo, min(lo+strip, n), scratch)
		all[0], all[1] = append(all[0], bitsOf[K](abs)...), append(all[1], bitsOf[K](rel)...)
	}
	for which, keys := range all {
		for i := range keys {
			keys[i] <<= 1
		}
		slices.Sort(keys)
		s := &searches[which]
		for i, rank := range s.ranks {
			s.found[i] = keys[rank]
		}
		for i, edge := range s.edges {
			s.belowEdge[i], _ = slices.BinarySearch(keys, edge)
		}
	}
}

// countErrors makes one pass over all errors, which finds the next 16 bits of each key.
func countErrors[K errorKey, F float32 | float64](errors errorStrips[F], n, workers int,
	searches *[2]search[K]) {
	totals := [2][]digits{searches[0].next(), searches[1].next()}
	var lock sync.Mutex
	overWorkers(n, workers, func(s *scratch, next func() (lo, hi int, ok bool)) {
		own := [2][]digits{make([]digits, len(totals[0])), make([]digits, len(totals[1]))}
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += strip {
				abs, rel := errors(lo, min(lo+strip, hi), s)
				searches[0].count(own[0], bitsOf[K](abs))
				searches[1].count(own[1], bitsOf[K](rel))
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for which := range own {
			for i := range own[which] {
				for digit, n := range own[which][i] {
					totals[which][i][digit] += n
				}
			}
		}
	})
	searches[0].narrow(totals[0])
	searches[1].narrow(totals[1])
}

// digits counts keys with the same leading bits, by the 16 bits that follow.
type digits [1 << 16]int

// search finds the keys at some ranks, from their leading to their trailing bits, and counts the
// keys below some edges.
type search[K errorKey] struct {
	shift     int // the number of trailing bits that are still to be read
	ranks     []int
	found     []K   // the key at each rank, with zeros for the bits that are not known yet
	below     []int // the number of keys below found
	edges     []K
	belowEdge []int
	prefixes  []K // the distinct leading bits of found and edges, in ascending order
	// first holds, by a key's first 16 bits, 1 + the index of the first prefix with the same bits, or
	// 0 if there is none.
	first [1 << 16]uint8
}

func (s *search[K]) begin(ranks []int, edges []K) {
	s.shift = int(8 * unsafe.Sizeof(K(0)))
	s.ranks, s.found, s.below = ranks, make([]K, len(ranks)), make([]int, len(ranks))
	s.edges, s.belowEdge = edges, make([]int, len(edges))
}

// known returns a key without the bits that are still to be read.
func (s *search[K]) known(k K) K { return k >> s.shift << s.shift }

// next prepares a pass over all keys. It returns empty counts for each prefix.
func (s *search[K]) next() []digits {
	s.prefixes = slices.Clone(s.found)
	for _, edge := range s.edges {
		s.prefixes = append(s.prefixes, s.known(edge))
	}
	slices.Sort(s.prefixes)
	s.prefixes = slices.Compact(s.prefixes)
	s.shift -= 16
	s.first = [1 << 16]uint8{}
	for i, prefix := range slices.Backward(s.prefixes) {
		s.first[prefix>>(8*unsafe.Sizeof(K(0))-16)] = uint8(i + 1)
	}
	return make([]digits, len(s.prefixes))
}

// count counts the digits of the keys that begin with a prefix.
func (s *search[K]) count(counts []digits, bits []K) {
	top := int(8*unsafe.Sizeof(K(0))) - 16
	if top == s.shift {
		for _, k := range bits {
			counts[0][k<<1>>top]++
		}
		return
	}
	for _, k := range bits {
		k <<= 1
		for i := int(s.first[k>>top]) - 1; i >= 0 && i < len(s.prefixes); i++ {
			if (k^s.prefixes[i])>>(s.shift+16) == 0 {
				counts[i][uint16(k>>s.shift)]++
				break
			}
		}
	}
}

// narrow reads the next digit of each key and each edge.
func (s *search[K]) narrow(counts []digits) {
	for i, rank := range s.ranks {
		at, _ := slices.BinarySearch(s.prefixes, s.found[i])
		for digit, n := range counts[at] {
			if s.below[i]+n > rank {
				s.found[i] |= K(digit) << s.shift
				break
			}
			s.below[i] += n
		}
	}
	for i, edge := range s.edges {
		at, _ := slices.BinarySearch(s.prefixes, edge>>(s.shift+16)<<(s.shift+16))
		for _, n := range counts[at][:uint16(edge>>s.shift)] {
			s.belowEdge[i] += n
		}
	}
}
