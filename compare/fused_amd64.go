//go:build !purego

package compare

// stripFacts is what one look at a strip finds for [facts]; the errors go where the pointers point.
type stripFacts struct {
	abs, rel *float32
	greatest [2]uint32
	errors   [2]lanes
	sides    [2]sideLanes
}

// factsAVX512 takes n elements, a multiple of 16, and asks for the strip behind as well.
//
//go:noescape
func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32)

// factsAtOnce is [floatErrors32], [fold32] and [sums32] in one look at a strip, where ok.
func factsAtOnce(abs, rel, a, b []float32, zero float32) (most [2]float32, errors [2]lanes,
	sums [2]float64, ok bool) {
	n := len(a)
	if !hasAVX512 || n == 0 || n%16 != 0 || min(len(b), len(abs), len(rel)) < n {
		return most, errors, sums, false
	}
	f := stripFacts{abs: &abs[0], rel: &rel[0]}
	factsAVX512(&f, &a[0], &b[0], n, zero)
	for i, key := range f.greatest {
		most[i], sums[i] = frombits32(key), f.sides[i].sum()
	}
	return most, f.errors, sums, true
}

// stripSurvey is one worker's share of a tally over float32 errors with four brackets at most.
type stripSurvey struct {
	// What the assembly reads.
	ones     [16]uint32 // of each bin: a counter of three bits, all of them in a word
	together uint32     // the counters of every fourth bin
	last     uint32     // bin
	scales   [2]float32 // an error times that, rounded down, is its bin or the one below
	next     [2][16]uint32
	brackets [2]struct{ los, widths [4]uint32 }
	// What it adds to, lane by lane.
	bins  [2][bins][16]uint32
	above [2][4][16]uint32
	keys  [2]*float32 // where it leaves the errors

	pair    *pair
	tallies *[2]*tally[uint32]
	rest    strips[uint32, float32] // takes strips that end within a register
}

// surveyAVX512 takes n elements, a multiple of 16 up to 1024, and asks for the strip behind as
// well. Behind what it has kept it may write as many keys as it has looked at.
//
//go:noescape
func surveyAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
	keptAbs, keptRel int)

// surveyAtOnce is a worker that computes and counts in one look, or nil.
func (p *pair) surveyAtOnce(tallies *[2]*tally[uint32]) stripTally[uint32] {
	if !hasAVX512 || p.equal.nan {
		return nil
	}
	s := &stripSurvey{last: bins - 1, together: 1<<24*7 | 1<<12*7 | 7, pair: p, tallies: tallies}
	for i := range bins {
		s.ones[i] = 1 << (3 * i)
	}
	for which, t := range tallies {
		if len(t.brackets) > 4 || t.binned > 0 && t.binned != bins-1 {
			return nil
		}
		for i := range s.next[which] {
			s.next[which][i] = 1 << 31 // which no key reaches
		}
		if copy(s.next[which][:], t.edges[:t.binned]) > 0 {
			var ok bool
			if s.scales[which], ok = binScale(t.edges[:t.binned]); !ok {
				return nil
			}
		}
		for i, b := range t.brackets {
			s.brackets[which].los[i] = b.lo
			s.brackets[which].widths[i] = max(b.lo, b.hi) - b.lo
		}
	}
	s.rest = newStrips(p.errors32, tallies)
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
	s.keys = [2]*float32{&sc.abs32[0], &sc.rel32[0]}
	n[0], n[1] = surveyAVX512(s, &a[0], &b[0], len(a), s.pair.zero(), &kept[0][0], &kept[1][0])
	for which, keys := range [2][]uint32{keysOf[uint32](sc.abs32[:len(a)]),
		keysOf[uint32](sc.rel32[:len(a)])} {
		t := s.tallies[which]
		count512(keys, t.edges[t.binned:], s.rest.above[which][t.binned:])
	}
	return n
}

func (s *stripSurvey) counts(which int) (above, aboveLo []int) {
	above, aboveLo = s.rest.counts(which)
	more := 0
	for bin := s.tallies[which].binned; bin > 0; bin-- {
		more += total(&s.bins[which][bin])
		above[bin-1] += more
	}
	for i := range aboveLo {
		aboveLo[i] += total(&s.above[which][i])
	}
	return above, aboveLo
}

func total(lanes *[16]uint32) (sum int) {
	for _, n := range lanes {
		sum += int(n)
	}
	return sum
}
