package compare

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// errorKey is the bits of an error without its sign. Errors are not negative, so their keys sort as
// they do; those of NaN are above the infinity's.
type errorKey interface{ uint32 | uint64 }

// signOf is the bit that a key leaves out.
func signOf[K errorKey]() K { return K(1) << (8*unsafe.Sizeof(K(0)) - 1) }

// keysOf is the bits of errors, where they lie.
func keysOf[K errorKey, F float32 | float64](errors []F) []K {
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(errors))), len(errors))
}

// bracket is the keys of [lo,hi); none where hi is not above lo.
type bracket[K errorKey] struct{ lo, hi K }

// kernels are the two loops of a tally, for one width of keys.
type kernels[K errorKey] struct {
	// count adds to above how many keys are not below each edge.
	count func(keys, edges []K, above []int)
	// sieve does so for the lower end of each bracket, and copies the keys within one of them to
	// kept, which has room for all. It returns how many it copied.
	sieve func(keys []K, brackets []bracket[K], above []int, kept []K) int
}

// tally is what one pass counts of one error: how many keys are not below each of some edges, and
// which lie within each of some brackets.
type tally[K errorKey] struct {
	kernels[K]
	edges     []K
	binned    int   // how many of them, the first, are a histogram's; the next is infinity then
	above     []int // for each edge
	brackets  []bracket[K]
	aboveLo   []int // for each bracket
	kept      []K   // the keys of all brackets, in no order; its capacity bounds them
	used      atomic.Int64
	overflown atomic.Bool
	// Most keys need no look of their own: those below least are not asked for, and of those in gap
	// only how many they are.
	least K
	gap   bracket[K]
}

// edge has the pass count how many keys are not below k; the count will be above[i].
func (t *tally[K]) edge(k K) (i int) {
	if i = slices.Index(t.edges, k); i >= 0 {
		return i
	}
	t.edges = append(t.edges, k)
	return len(t.edges) - 1
}

// part finds least and gap: between the edges (a histogram's are counted otherwise) and the ends of
// brackets, the gap is where most of some keys are.
func (t *tally[K]) part(some []K) {
	points := append([]K{signOf[K]()}, t.edges[t.binned:]...)
	for _, b := range t.brackets {
		points = append(points, b.lo, max(b.lo, b.hi))
	}
	slices.Sort(points)
	points = slices.Compact(points)
	above, most := make([]int, len(points)), -1
	t.count(some, points, above)
	t.least, t.gap = points[0], bracket[K]{}
	for i, lo := range points[:len(points)-1] {
		kept := func(b bracket[K]) bool { return b.lo <= lo && lo < b.hi }
		if n := above[i] - above[i+1]; n > most && !slices.ContainsFunc(t.brackets, kept) {
			most, t.gap = n, bracket[K]{lo, points[i+1]}
		}
	}
}

// errorStrips is the errors of at most a strip of elements.
type errorStrips[F float32 | float64] func(lo, hi int, s *scratch) (abs, rel []F)

// errorsAt is the errors of at most a strip of elements, here and there.
type errorsAt[F float32 | float64] func(places []int, s *scratch) (abs, rel []F)

// stripTally is one worker's share of a tally of both errors.
type stripTally[K errorKey] interface {
	// take counts the errors of at most a strip, and copies those within brackets to kept.
	take(lo, hi int, s *scratch, kept *[2][strip]K) (n [2]int)
	// last does what take has put off.
	last(kept *[2][strip]K) (n [2]int)
	// counts is how many keys of all strips are not below the edges, and the brackets.
	counts(which int) (above, aboveLo []int)
}

// strips is stripTally by way of the errors in memory.
type strips[K errorKey, F float32 | float64] struct {
	errors         errorStrips[F]
	tallies        *[2]*tally[K]
	above, aboveLo [2][]int
}

func newStrips[K errorKey, F float32 | float64](errors errorStrips[F],
	tallies *[2]*tally[K]) strips[K, F] {
	s := strips[K, F]{errors: errors, tallies: tallies}
	for i, t := range tallies {
		s.above[i], s.aboveLo[i] = make([]int, len(t.edges)), make([]int, len(t.brackets))
	}
	return s
}

func (s *strips[K, F]) take(lo, hi int, sc *scratch, kept *[2][strip]K) (n [2]int) {
	abs, rel := s.errors(lo, hi, sc)
	for i, keys := range [2][]K{keysOf[K](abs), keysOf[K](rel)} {
		n[i] = s.takeKeys(i, keys, 0, kept)
	}
	return n
}

// takeKeys takes keys of one error, and counts them at the edges behind the first few.
func (s *strips[K, F]) takeKeys(which int, keys []K, but int, kept *[2][strip]K) (n int) {
	t := s.tallies[which]
	if len(t.edges) > but {
		t.count(keys, t.edges[but:], s.above[which][but:])
	}
	if len(t.brackets) > 0 {
		n = t.sieve(keys, t.brackets, s.aboveLo[which], kept[which][:])
	}
	return n
}

func (s *strips[K, F]) last(*[2][strip]K) (n [2]int) { return n }

func (s *strips[K, F]) counts(which int) (above, aboveLo []int) {
	return s.above[which], s.aboveLo[which]
}

// tallyErrors makes the pass over the absolute and the relative errors. A worker is what atOnce
// gives, if anything.
func tallyErrors[K errorKey, F float32 | float64](errors errorStrips[F], n, workers int,
	tallies *[2]*tally[K], atOnce func(*[2]*tally[K]) stripTally[K]) {
	var lock sync.Mutex
	for _, t := range tallies {
		t.above, t.aboveLo = make([]int, len(t.edges)), make([]int, len(t.brackets))
	}
	overWorkers(n, workers, func(s *scratch, next func() (lo, hi int, ok bool)) {
		worker := atOnce(tallies)
		if worker == nil {
			inMemory := newStrips(errors, tallies)
			worker = &inMemory
		}
		var kept [2][strip]K
		keep := func(n [2]int) {
			for i, t := range tallies {
				t.keep(kept[i][:n[i]])
			}
		}
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += strip {
				keep(worker.take(lo, min(lo+strip, hi), s, &kept))
			}
		}
		keep(worker.last(&kept))
		lock.Lock()
		defer lock.Unlock()
		for i, t := range tallies {
			above, aboveLo := worker.counts(i)
			add(t.above, above)
			add(t.aboveLo, aboveLo)
		}
	})
	for _, t := range tallies {
		t.kept = t.kept[:min(int(t.used.Load()), cap(t.kept))]
	}
}

func add(total, part []int) {
	for i, n := range part {
		total[i] += n
	}
}

// keep copies keys to those of all workers.
func (t *tally[K]) keep(keys []K) {
	if len(keys) == 0 || t.overflown.Load() {
		return
	}
	end := int(t.used.Add(int64(len(keys))))
	if end > cap(t.kept) {
		t.overflown.Store(true)
		return
	}
	copy(t.kept[end-len(keys):end:cap(t.kept)], keys)
}

// countGo is kernels.count. A subtraction has the sign of its comparison, without a branch.
func countGo[K errorKey](keys, edges []K, above []int) {
	sign := signOf[K]()
	for j, edge := range edges {
		below, n := int64(edge)-1, uint64(0)
		for _, k := range keys {
			n += uint64(below-int64(k&^sign)) >> 63
		}
		above[j] += int(n)
	}
}

// sieveGo is kernels.sieve.
func sieveGo[K errorKey](keys []K, brackets []bracket[K], above []int, kept []K) (n int) {
	sign := signOf[K]()
	for _, k := range keys {
		k &^= sign
		within := uint64(0)
		for j, b := range brackets {
			fromLo := uint64(int64(b.lo)-1-int64(k)) >> 63
			above[j] += int(fromLo)
			within |= fromLo &^ (uint64(int64(b.hi)-1-int64(k)) >> 63)
		}
		kept[n] = k
		n += int(within)
	}
	return n
}

// sortKeys sorts by digits of 11 bits. spare has room for all.
func sortKeys[K errorKey](keys, spare []K) []K {
	if len(keys) < 256 {
		slices.Sort(keys)
		return keys
	}
	spare = spare[:len(keys)]
	for shift := 0; shift < int(8*unsafe.Sizeof(K(0))); shift += 11 {
		var starts [1 << 11]int
		for _, k := range keys {
			starts[k>>shift&(1<<11-1)]++
		}
		if starts[keys[0]>>shift&(1<<11-1)] == len(keys) {
			continue // all have the same digit
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
