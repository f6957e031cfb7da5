package compare

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// selection finds the errors at given ranks in one pass: a sample says between which two errors
// each rank lies almost certainly, and the pass counts what is below them and keeps the few that
// lie between. The ranks are exact whatever the sample is; where one lies elsewhere, or too many
// errors lie between, there is no answer, and order statistics count digit by digit instead.
type selection[K errorKey] struct {
	tallies [2]*tally[K]
	targets [2][]target[K]
	buffers *buffers[K]
	sample  [2]binned[K]
	kept    [2]binned[K]
	n       int
}

// target is where a rank lies almost certainly: in [lo,hi].
type target[K errorKey] struct {
	lo, hi K
	// Errors that equal an end may be many, so they are counted and not kept where the sample has
	// several: atLo and atHi are the edges at and above the end, or −1. keep is the rest.
	atLo, atHi int
	keep       bracket[K]
}

// buffers are a selection's, of a size that hardly depends on how many errors there are.
type buffers[K errorKey] struct{ sample, kept, spare [2][]K }

var (
	buffers32 = sync.Pool{New: func() any { return newBuffers[uint32]() }}
	buffers64 = sync.Pool{New: func() any { return newBuffers[uint64]() }}
)

// Of a sample of 2¹⁶ errors, the median is within 7 in 1000 ranks of all errors', by 3½ standard
// deviations. The brackets of a median and three quantiles then hold 1 in 33 errors.
const (
	sampled = 1 << 16 // errors are drawn, where there are enough
	drawnOf = 128     // one in so many is drawn, where that is more
	room    = 1 << 19 // errors can be kept
	keptOf  = 64      // one in so many can be kept, where that is more
	reach   = 3.5     // standard deviations of a sample's rank reaches a bracket to each side
)

func newBuffers[K errorKey]() *buffers[K] {
	b := new(buffers[K])
	for i := range 2 {
		b.sample[i] = make([]K, 0, sampled)
		b.kept[i], b.spare[i] = make([]K, 0, room), make([]K, room)
	}
	return b
}

// grow makes room for the kept errors of n.
func (b *buffers[K]) grow(n int) {
	for i := range 2 {
		b.kept[i] = slices.Grow(b.kept[i][:0], max(room, n/keptOf))
	}
}

// drawn is the size of a sample of n errors.
func drawn(n int) int { return max(min(sampled, n/64), n/drawnOf) }

// spots are where the errors of a sample are in one block: one of each few, at a place that no
// period of the tensor's keeps step with.
type spots struct {
	each, from, hi int // each so many from there up to hi have a place
	random         uint64
	at             int // the next place, or hi
	i              int // its index in the sample
}

// eachOf is of how many of n errors one is drawn.
func eachOf(n int) int { return max(1, n/drawn(n)) }

// spotsIn are those of n errors' in the block [lo,hi).
func spotsIn(n, lo, hi int) spots {
	p := spots{each: eachOf(n), hi: hi, random: uint64(lo)}
	p.from, p.i = lo-p.each, lo/block*(block/p.each)-1
	p.next()
	return p
}

func (p *spots) next() {
	p.from, p.i, p.at = p.from+p.each, p.i+1, p.hi
	if p.from+p.each <= p.hi {
		p.random = p.random*6364136223846793005 + 1442695040888963407
		p.at = p.from + int(p.random>>33*uint64(p.each)>>31)
	}
}

// reserve makes room for the sample of n errors, and for what is kept of them.
func (b *buffers[K]) reserve(n int) {
	b.grow(n)
	each := eachOf(n)
	total := n/block*(block/each) + n%block/each
	for i := range b.sample {
		b.sample[i] = slices.Grow(b.sample[i][:0], total)[:total]
	}
}

// take draws from the errors of elements from lo on, which another look has computed.
func (b *buffers[K]) take(abs, rel []K, lo int, p *spots) {
	for ; p.at < lo+len(abs) && p.at < p.hi; p.next() {
		b.sample[0][p.i] = abs[p.at-lo] &^ signOf[K]()
		b.sample[1][p.i] = rel[p.at-lo] &^ signOf[K]()
	}
}

// sample is one that a look at all errors draws on its way, in the errors' width.
type sample struct {
	narrow *buffers[uint32]
	wide   *buffers[uint64]
}

// newSample has room for that of a pair, and is to be released; nil, where all errors are sorted.
func (p *pair) newSample() *sample {
	s := new(sample)
	switch {
	case p.n <= sortable:
		return nil
	case p.wide:
		s.wide = buffers64.Get().(*buffers[uint64])
		s.wide.reserve(p.n)
	default:
		s.narrow = buffers32.Get().(*buffers[uint32])
		s.narrow.reserve(p.n)
	}
	return s
}

func (s *sample) release() {
	switch {
	case s == nil:
	case s.wide != nil:
		buffers64.Put(s.wide)
	default:
		buffers32.Put(s.narrow)
	}
}

// drawSample is newSample, drawn in a look of its own.
func (p *pair) drawSample(workers int) *sample {
	s := p.newSample()
	switch {
	case s == nil:
	case p.wide:
		draw(s.wide, p.errorsAt64, p.n, workers)
	default:
		draw(s.narrow, p.errorsAt32, p.n, workers)
	}
	return s
}

// draw draws the sample of n errors of both kinds.
func draw[K errorKey, F float32 | float64](b *buffers[K], errors errorsAt[F], n, workers int) {
	overWorkers(n, workers, func(sc *scratch, next func() (lo, hi int, ok bool)) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			for p := spotsIn(n, lo, hi); p.at < hi; {
				at, first, m := &sc.places, p.i, 0
				for ; m < strip && p.at < hi; m++ {
					at[m] = p.at
					p.next()
				}
				abs, rel := errors(at[:m], sc)
				for j, k := range keysOf[K](abs) {
					b.sample[0][first+j] = k &^ signOf[K]()
				}
				for j, k := range keysOf[K](rel) {
					b.sample[1][first+j] = k &^ signOf[K]()
				}
			}
		}
	})
}

// order puts the sample in order, as far as it takes to find a rank.
func (s *selection[K]) order() {
	b := s.buffers
	s.each(func(i int) {
		s.tallies[i].kept = b.kept[i]
		n := len(b.sample[i])
		b.spare[i] = slices.Grow(b.spare[i][:0], n)
		all := []bracket[K]{{0, slices.Max(b.sample[i]) + 1}}
		s.sample[i] = inBins(b.sample[i], b.spare[i][:n], all, 14)
	})
}

// each calls work for both errors at the same time.
func (s *selection[K]) each(work func(i int)) {
	var group sync.WaitGroup
	group.Go(func() { work(0) })
	work(1)
	group.Wait()
}

// want adds what finds the ranks from lower to upper of one error, which are neighbours.
func (s *selection[K]) want(which, lower, upper int) {
	sample, size := &s.sample[which], len(s.sample[which].keys)
	m := float64(size)
	q := (float64(lower) + 0.5) / float64(s.n)
	spread := float64(reach*math.Sqrt(m*q*(1-q))) + 2
	low, high := int(math.Floor(float64(q*m)-spread)), int(math.Ceil(float64(q*m)+spread))
	t := target[K]{lo: 0, hi: signOf[K]() - 1, atLo: -1, atHi: -1}
	tally := s.tallies[which]
	b := bracket[K]{t.lo, t.hi + 1}
	if low >= 0 {
		t.lo = sample.at(low)
		if b.lo = t.lo; sample.at(low+1) == t.lo || low > 0 && sample.at(low-1) == t.lo {
			t.atLo, b.lo = tally.edge(t.lo), t.lo+1
		}
	} else if sample.at(1) == 0 {
		t.atLo, b.lo = tally.edge(0), 1
	}
	if high < size {
		t.hi = sample.at(high)
		if b.hi = t.hi + 1; sample.at(high-1) == t.hi || high+1 < size && sample.at(high+1) == t.hi {
			t.atHi, b.hi = tally.edge(t.hi+1), t.hi
		}
	}
	t.keep = bracket[K]{b.lo, max(b.lo, b.hi)}
	s.targets[which] = append(s.targets[which], t)
}

// arrange makes brackets of all targets that do not overlap.
func (s *selection[K]) arrange() {
	for which, targets := range s.targets {
		t := s.tallies[which]
		for _, target := range targets {
			t.brackets = append(t.brackets, target.keep)
		}
		slices.SortFunc(t.brackets, func(a, b bracket[K]) int {
			return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
		})
		disjoint := t.brackets[:min(1, len(t.brackets))]
		for _, b := range t.brackets[len(disjoint):] {
			if last := &disjoint[len(disjoint)-1]; b.lo < last.hi {
				last.hi = max(last.hi, b.hi)
			} else if b != *last {
				disjoint = append(disjoint, b)
			}
		}
		t.brackets = disjoint
	}
}

// some is a few errors of the sample, from the least to the greatest.
func (s *selection[K]) some(which int) []K {
	const most = 1024
	sample, few := s.sample[which].keys, make([]K, 0, most)
	for i := 0; i < len(sample); i += 1 + len(sample)/most {
		few = append(few, sample[i])
	}
	return few
}

// finish orders what was kept as far as it takes to find a rank.
func (s *selection[K]) finish() {
	s.each(func(i int) {
		t := s.tallies[i]
		s.buffers.spare[i] = slices.Grow(s.buffers.spare[i][:0], len(t.kept))
		s.kept[i] = inBins(t.kept, s.buffers.spare[i][:len(t.kept)], t.brackets, 8)
	})
}

// at is the error of a rank that the i-th target was made for, if it is found.
func (s *selection[K]) at(which, i, rank int) (k K, ok bool) {
	t, tally := s.targets[which][i], s.tallies[which]
	slot := 0
	for slot+1 < len(tally.brackets) && tally.brackets[slot+1].lo <= t.keep.lo {
		slot++
	}
	below := s.n - tally.aboveLo[slot]
	if rank < below {
		return t.lo, t.atLo >= 0 && rank >= s.n-tally.above[t.atLo]
	}
	if tally.overflown.Load() {
		return 0, false
	}
	from, to := s.kept[which].of(slot)
	if place := from + rank - below; place < to {
		return s.kept[which].at(place), true
	}
	return t.hi, t.atHi >= 0 && rank < s.n-tally.above[t.atHi]
}
