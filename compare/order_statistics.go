package compare

import (
	"math"
	"slices"
	"sync"
)

// ordered finds the errors at the given ranks (0 is the least), of the absolute errors and of the
// relative ones; ranks come in pairs of neighbours. NaN errors have no rank; hasNaN tells where
// there are some.
func (p *pair) ordered(ranks [2][]int, workers int) (values [2][]float64, hasNaN [2]bool) {
	if p.n <= sortable {
		return p.sorted(ranks)
	}
	isNaN := []uint64{math.Float64bits(math.Inf(1)) + 1}
	if !p.wide {
		isNaN[0] = infinity32 + 1
	}
	drawn := p.drawSample(workers)
	defer drawn.release()
	s := p.survey(ranks, [2][]uint64{isNaN, isNaN}, workers, drawn)
	return s.values, [2]bool{s.above[0][0] > 0, s.above[1][0] > 0}
}

// counted is ordered without a sample, a sort or a copy: it counts bit patterns digit by digit,
// from the top, and keeps the counts of the digits that the ranks lie under. Errors are not
// negative, so their patterns sort as their values do.
func (p *pair) counted(ranks [2][]int, workers int) (values [2][]float64) {
	width := 32
	if p.wide {
		width = 64
	}
	searches := [2]*search{newSearch(ranks[0], width), newSearch(ranks[1], width)}
	for shift := width - digit; shift >= 0; shift -= digit {
		p.count(&searches, shift, workers)
		for _, s := range searches {
			s.descend(shift)
		}
	}
	for i, s := range searches {
		values[i] = s.values(p.wide)
	}
	return values
}

// sortable is up to how many elements clearing and adding up the counters costs more than a sort.
const sortable = 16 * strip

// sorted is ordered for few elements.
func (p *pair) sorted(ranks [2][]int) (values [2][]float64, hasNaN [2]bool) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	var all [2][]uint64
	for lo := 0; lo < p.n; lo += strip {
		abs, rel := p.errors64(lo, min(lo+strip, p.n), s)
		all[0] = append(all[0], keysOf[uint64](abs)...)
		all[1] = append(all[1], keysOf[uint64](rel)...)
	}
	spare, sign, infinity := make([]uint64, p.n), signOf[uint64](), errorKeyOf[uint64](math.Inf(1))
	for which, keys := range all {
		for i := range keys {
			keys[i] &^= sign
		}
		keys = sortKeys(keys, spare) // NaN last
		hasNaN[which] = len(keys) > 0 && keys[len(keys)-1] > infinity
		values[which] = make([]float64, len(ranks[which]))
		for i, rank := range ranks[which] {
			values[which][i] = errorOf(keys[rank])
		}
	}
	return values, hasNaN
}

// digit is the width in bits of one counting pass. The first digit of a float32 is its exponent
// and seven bits of its fraction, so that few elements are left to count in the second pass.
const digit = 16

// counts is how many errors have each value of a digit.
type counts [1 << digit]uint64

// search is the state of one error's ranks.
type search struct {
	found []found
	shift int // how far the prefixes are above bit 0
	depth int // how many digits the prefixes have
	// prefixes are the distinct ones among found, sorted; counts are of the digit below each.
	prefixes []uint64
	counts   []*counts
	// slots leads from a first digit to the first prefix that starts with it, plus 1; 0 is none.
	slots [1 << digit]uint8
}

type found struct {
	prefix uint64
	rank   uint64 // among the errors that share the prefix
}

func newSearch(ranks []int, width int) *search {
	s := &search{found: make([]found, len(ranks)), shift: width}
	for i, r := range ranks {
		s.found[i].rank = uint64(r)
	}
	s.prefixes = []uint64{0}
	s.counts = newCounts(1)
	return s
}

func newCounts(n int) []*counts {
	all := make([]*counts, n)
	for i := range all {
		all[i] = new(counts)
	}
	return all
}

// descend fixes one more digit of every rank, from the counts.
func (s *search) descend(shift int) {
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
		// A rank beyond the last error, which only NaN in their place can cause, has no digit.
		f.prefix = f.prefix<<digit | min(value, 1<<digit-1)
	}
	s.shift = shift
	if shift == 0 {
		return
	}
	s.prefixes = s.prefixes[:0]
	for _, f := range s.found {
		s.prefixes = append(s.prefixes, f.prefix)
	}
	slices.Sort(s.prefixes)
	s.prefixes = slices.Compact(s.prefixes)
	s.counts = newCounts(len(s.prefixes))
	s.depth++
	s.slots = [1 << digit]uint8{}
	for slot := len(s.prefixes) - 1; slot >= 0; slot-- {
		s.slots[s.prefixes[slot]>>(digit*(s.depth-1))] = uint8(slot + 1)
	}
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

// digitTally is one worker's share of a counting pass.
type digitTally struct{ counts []*counts }

// count adds the digit above shift of every error to the counts of both searches.
func (p *pair) count(searches *[2]*search, shift, workers int) {
	var lock sync.Mutex
	overWorkers(p.n, workers, func(sc *scratch, next func() (lo, hi int, ok bool)) {
		var own [2]digitTally
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
					own[0].add32(abs, searches[0])
					own[1].add32(rel, searches[1])
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

func (s *search) merge(t digitTally) {
	for slot, counts := range t.counts {
		for value, n := range counts {
			s.counts[slot][value] += n
		}
	}
}

// add32 counts the first digit of each error, or the second of those under a prefix.
func (t *digitTally) add32(errors []float32, s *search) {
	first := t.counts[0]
	switch {
	case s.depth == 0:
		for i := range errors {
			bits := bits32(errors[i])
			if bits <= infinity32 { // no NaN of either sign
				first[bits>>digit]++
			}
		}
	case len(s.prefixes) == 1: // as for most medians
		prefix := uint32(s.prefixes[0])
		for i := range errors {
			if bits := bits32(errors[i]); bits>>digit == prefix {
				first[bits&(1<<digit-1)]++
			}
		}
	default:
		for i := range errors {
			bits := bits32(errors[i])
			if slot := s.slots[bits>>digit]; slot > 0 {
				t.counts[slot-1][bits&(1<<digit-1)]++
			}
		}
	}
}

const infinity32 = 0x7f800000

// add64 counts the digit above shift.
func (t *digitTally) add64(errors []float64, s *search, shift int) {
	if s.depth > 0 {
		for _, v := range errors {
			bits := math.Float64bits(v)
			slot := int(s.slots[bits>>(64-digit)])
			if slot == 0 {
				continue
			}
			high := bits >> s.shift
			for slot--; slot < len(s.prefixes) && s.prefixes[slot] <= high; slot++ {
				if s.prefixes[slot] == high {
					t.counts[slot][bits>>shift&(1<<digit-1)]++
				}
			}
		}
		return
	}
	first := t.counts[0]
	for _, v := range errors {
		if v == v {
			first[math.Float64bits(v)>>(64-digit)]++
		}
	}
}
