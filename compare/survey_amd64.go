//go:build !purego

package compare

// stripSurvey is one worker's share of a tally over float32 errors. In one look at a strip the
// assembly computes both errors, counts them by bin, and copies those that the tally has to look at
// one by one: a few, since most lie below its least point or in its gap.
type stripSurvey struct {
	// What the assembly reads.
	ones     [16]uint32 // of each bin: a counter of three bits, all of them in a word
	together uint32     // the counters of every third bin
	least    [2]uint32
	gaps     [2]uint32
	widths   [2]uint32
	scales   [2]float32 // an error times that, rounded down, is its bin or the one below
	_        [3]uint32
	next     [2][16]uint32 // the least key of the bin above
	// What it adds to, lane by lane.
	from [2][16]uint32 // keys that are not below the least point
	bins [2][bins - 1][16]uint32

	rest    strips[uint32, float32] // takes strips that end within a register
	chosen  strips[uint32, float32] // takes the keys that were copied
	pair    *pair
	binned  bool
	pending [2][putOff + strip + 16]uint32 // copied
	n       [2]int                         // of them
	copied  [2]int                         // since ever
}

// putOff is below how many keys that were copied wait for more.
const putOff = 256

// surveyAVX512 takes n elements, a multiple of 16 up to 1024, and asks for what follows as well.
// Behind what it has copied it may write sixteen keys. No finite error may be above the one
// that the bins were made for.
//
//go:noescape
func surveyAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
	copiedAbs, copiedRel int)

// ranksAVX512 is surveyAVX512 without bins.
//
//go:noescape
func ranksAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
	copiedAbs, copiedRel int)

// surveyAtOnce is a worker that computes and counts in one look, or nil.
func (p *pair) surveyAtOnce(tallies *[2]*tally[uint32]) stripTally[uint32] {
	if !hasAVX512 || p.equal.nan {
		return nil
	}
	s := &stripSurvey{together: 7<<18 | 7<<9 | 7, pair: p}
	for bin := 1; bin < len(s.ones); bin++ {
		s.ones[bin] = 1 << (3 * (min(bin, bins-1) - 1))
	}
	for which, t := range tallies {
		if t.binned > 0 {
			var ok bool
			if s.scales[which], ok = binScale(t.edges[:t.binned]); !ok {
				return nil
			}
			s.binned = true
		}
		for i := range s.next[which] {
			s.next[which][i] = 1 << 31 // which no key reaches
		}
		copy(s.next[which][:], t.edges[:t.binned])
		s.least[which], s.gaps[which], s.widths[which] = t.least, t.gap.lo, t.gap.hi-t.gap.lo
	}
	s.rest, s.chosen = newStrips(p.errors32, tallies), newStrips(p.errors32, tallies)
	return s
}

// binScale is what an error is multiplied by to get its bin or the one below, and whether that
// holds: of errors between two edges, if it does of those at both ends.
func binScale(edges []uint32) (scale float32, ok bool) {
	scale = float32(len(edges)) / frombits32(edges[len(edges)-1]) * (1 - 0x1p-20)
	if !(scale < 0x1p120) {
		return 0, false
	}
	below := 0
	for _, edge := range edges {
		for _, k := range [2]uint32{edge - 1, edge} {
			for below < len(edges) && edges[below] <= k {
				below++
			}
			bin := int(min(frombits32(k)*scale, float32(len(edges))))
			if edge == 0 || bin != below && bin != below-1 {
				return 0, false
			}
		}
	}
	return scale, true
}

func (s *stripSurvey) take(lo, hi int, sc *scratch, kept *[2][strip]uint32) (n [2]int) {
	if (hi-lo)%16 != 0 || hi == lo {
		return s.rest.take(lo, hi, sc, kept)
	}
	a := float32s(s.pair.actual, lo, hi, &sc.a32)
	b := float32s(s.pair.expected, lo, hi, &sc.b32)
	look := ranksAVX512
	if s.binned {
		look = surveyAVX512
	}
	abs, rel := look(s, &a[0], &b[0], len(a), s.pair.zero(), &s.pending[0][s.n[0]],
		&s.pending[1][s.n[1]])
	for which, copied := range [2]int{abs, rel} {
		s.n[which] += copied
		s.copied[which] += copied
		if s.n[which] >= putOff {
			n[which] = s.choose(which, min(s.n[which], strip)&^15, kept)
		}
	}
	return n
}

// choose takes the first m of the keys that were copied.
func (s *stripSurvey) choose(which, m int, kept *[2][strip]uint32) int {
	all := s.pending[which][:s.n[which]]
	n := s.chosen.takeKeys(which, all[:m], s.chosen.tallies[which].binned, kept)
	s.n[which] = copy(all, all[m:])
	return n
}

func (s *stripSurvey) last(kept *[2][strip]uint32) (n [2]int) {
	for which := range n {
		n[which] = s.choose(which, s.n[which], kept)
	}
	return n
}

func (s *stripSurvey) counts(which int) (above, aboveLo []int) {
	t := s.chosen.tallies[which]
	gap := total(&s.from[which]) - s.copied[which]
	above, aboveLo = s.chosen.counts(which)
	for i, edge := range t.edges[t.binned:] {
		if edge <= t.gap.lo {
			above[t.binned+i] += gap
		}
	}
	for i, b := range t.brackets {
		if b.lo <= t.gap.lo {
			aboveLo[i] += gap
		}
	}
	if t.binned > 0 {
		odd := above[t.binned] // keys of what is not finite, all of which are in bin 1
		more := odd
		for i := t.binned - 1; i >= 0; i-- {
			more += total(&s.bins[which][i])
			above[i] = more
		}
		above[0] -= odd
	}
	others, othersLo := s.rest.counts(which)
	add(above, others)
	add(aboveLo, othersLo)
	return above, aboveLo
}

func total(lanes *[16]uint32) (sum int) {
	for _, n := range lanes {
		sum += int(n)
	}
	return sum
}
