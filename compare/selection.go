package compare

import (
	"math"
	"slices"
	"sync"
)

// ordered finds the errors at the given ranks (0 is the least), of the absolute errors and of the
// relative ones, without sorting and without a copy: it counts bit patterns digit by digit, from
// the top, and keeps the counts of the digits that the ranks lie under. Errors are not negative,
// so their patterns sort as their values do. NaN errors have no rank; hasNaN tells where there are
// some.
func (p *pair) ordered(ranks [2][]int, workers int) (values [2][]float64, hasNaN [2]bool) {
	width := 32
	if p.wide {
		width = 64
	}
	searches := [2]*search{newSearch(ranks[0], width), newSearch(ranks[1], width)}
	for shift := width; shift > 0; {
		shift = max(0, shift-digit)
		p.count(&searches, shift, workers)
		for _, s := range searches {
			s.descend(shift)
		}
	}
	for i, s := range searches {
		values[i], hasNaN[i] = s.values(p.wide), s.nan
	}
	return values, hasNaN
}

// digit is the width in bits of one counting pass: 2048 counters fit the nearest cache.
const digit = 11

// search is the state of one error's ranks.
type search struct {
	found    []found
	prefixes []uint64   // the distinct prefixes among found, sorted
	counts   [][]uint64 // of the digit below each prefix
	shift    int        // how far the prefixes are above bit 0
	nan      bool
}

type found struct {
	prefix uint64
	rank   uint64 // among the errors that share the prefix
}

func newSearch(ranks []int, width int) *search {
	s := &search{found: make([]found, len(ranks)), prefixes: []uint64{0}, shift: width}
	for i, r := range ranks {
		s.found[i].rank = uint64(r)
	}
	s.counts = newCounts(1)
	return s
}

func newCounts(n int) [][]uint64 {
	counts := make([][]uint64, n)
	for i := range counts {
		counts[i] = make([]uint64, 1<<digit)
	}
	return counts
}

// descend fixes one more digit of every rank, from the counts.
func (s *search) descend(shift int) {
	width := s.shift - shift
	for i := range s.found {
		f := &s.found[i]
		slot, _ := slices.BinarySearch(s.prefixes, f.prefix)
		value := uint64(0)
		for _, n := range s.counts[slot] {
			if f.rank < n {
				break
			}
			f.rank -= n
			value++
		}
		f.prefix = f.prefix<<width | value
	}
	s.prefixes = s.prefixes[:0]
	for _, f := range s.found {
		s.prefixes = append(s.prefixes, f.prefix)
	}
	slices.Sort(s.prefixes)
	s.prefixes = slices.Compact(s.prefixes)
	s.counts = newCounts(len(s.prefixes))
	s.shift = shift
}

func (s *search) values(wide bool) []float64 {
	values := make([]float64, len(s.found))
	for i, f := range s.found {
		values[i] = float64(frombits32(uint32(f.prefix)))
		if wide {
			values[i] = math.Float64frombits(f.prefix)
		}
	}
	return values
}

// tally is one worker's share of a counting pass.
type tally struct {
	counts [][]uint64
	nan    bool
}

// count adds the digit above shift of every error to the counts of both searches.
func (p *pair) count(searches *[2]*search, shift, workers int) {
	var lock sync.Mutex
	overWorkers(p.n, workers, func(sc *scratch, next func() (lo, hi int, ok bool)) {
		var own [2]tally
		for i, s := range searches {
			own[i].counts = newCounts(len(s.prefixes))
		}
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for ; lo < hi; lo += strip {
				if p.wide {
					abs, rel := p.errors64(lo, min(lo+strip, hi), sc)
					own[0].add64(abs, searches[0], shift)
					own[1].add64(rel, searches[1], shift)
				} else {
					abs, rel := p.errors32(lo, min(lo+strip, hi), sc)
					own[0].add32(abs, searches[0], shift)
					own[1].add32(rel, searches[1], shift)
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for i, s := range searches {
			s.merge(own[i])
		}
	})
}

func (s *search) merge(t tally) {
	s.nan = s.nan || t.nan
	for slot, counts := range t.counts {
		for value, n := range counts {
			s.counts[slot][value] += n
		}
	}
}

func (t *tally) add32(values []float32, s *search, shift int) {
	mask := uint32(1)<<(s.shift-shift) - 1
	for _, v := range values {
		if v != v {
			t.nan = true
			continue
		}
		bits := bits32(v)
		slot, ok := s.slot(uint64(bits))
		if ok {
			t.counts[slot][bits>>shift&mask]++
		}
	}
}

func (t *tally) add64(values []float64, s *search, shift int) {
	mask := uint64(1)<<(s.shift-shift) - 1
	for _, v := range values {
		if v != v {
			t.nan = true
			continue
		}
		bits := math.Float64bits(v)
		slot, ok := s.slot(bits)
		if ok {
			t.counts[slot][bits>>shift&mask]++
		}
	}
}

// slot is the place of the prefix that bits lie under, and whether a rank lies there too.
func (s *search) slot(bits uint64) (int, bool) {
	high := bits >> s.shift
	for i, prefix := range s.prefixes {
		if high == prefix {
			return i, true
		}
	}
	return 0, false
}
