package compare

import (
	"cmp"
	"math"
	"slices"
)

// facts is what one pass over both errors collects for [Statistics].
type facts struct {
	mismatches int
	abs, rel   errorFacts
	worst      []bad
}

// errorFacts is one error's share.
type errorFacts struct {
	finite, nan int
	max         float64 // of the finite ones
	maxAt       int
	sum         float64 // of the finite ones
	oddAt       int     // the first that is NaN, or else the first infinite one; −1 for none
}

// bad is an element by its flat index.
type bad struct {
	at       int
	abs, rel float64
	mismatch bool
}

// elementRule tells whether one element mismatches.
type elementRule func(at int, abs, rel float64) bool

// facts folds the whole pair. rule may be nil: then nothing counts as a mismatch.
func (p *pair) facts(rule elementRule) *facts {
	total := newFacts()
	for _, part := range overBlocks(p.n, 0, func(lo, hi int, s *scratch) facts {
		return p.factsOf(lo, hi, rule, s)
	}) {
		total.add(&part)
	}
	if rule == nil {
		total.mismatches = -1
	}
	return &total
}

func newFacts() facts {
	return facts{abs: errorFacts{oddAt: -1}, rel: errorFacts{oddAt: -1}}
}

func (p *pair) factsOf(lo, hi int, rule elementRule, s *scratch) facts {
	f := newFacts()
	for ; lo < hi; lo += strip {
		abs, rel := p.errors64(lo, min(lo+strip, hi), s)
		f.abs.fold(abs, lo)
		f.rel.fold(rel, lo)
		for i, d := range abs {
			b := bad{lo + i, d, rel[i], rule != nil && rule(lo+i, d, rel[i])}
			if b.mismatch {
				f.mismatches++
			}
			if len(f.worst) < shownElements || worse(b, f.worst[len(f.worst)-1]) < 0 {
				f.keep(b)
			}
		}
	}
	return f
}

func (f *errorFacts) fold(values []float64, lo int) {
	for i, v := range values {
		switch {
		case v != v:
			if f.nan == 0 {
				f.oddAt = lo + i
			}
			f.nan++
		case v > math.MaxFloat64:
			if f.oddAt < 0 {
				f.oddAt = lo + i
			}
		default:
			if v > f.max || f.finite == 0 {
				f.max, f.maxAt = v, lo+i
			}
			f.finite++
			f.sum += v
		}
	}
}

func (f *facts) add(part *facts) {
	f.mismatches += part.mismatches
	f.abs.add(&part.abs)
	f.rel.add(&part.rel)
	for _, b := range part.worst {
		f.keep(b)
	}
}

func (f *errorFacts) add(part *errorFacts) {
	if part.finite > 0 && (f.finite == 0 || part.max > f.max) {
		f.max, f.maxAt = part.max, part.maxAt
	}
	if f.oddAt < 0 || f.nan == 0 && part.nan > 0 {
		f.oddAt = part.oddAt
	}
	f.finite += part.finite
	f.nan += part.nan
	f.sum += part.sum
}

// keep puts b among the worst, in order.
func (f *facts) keep(b bad) {
	at, _ := slices.BinarySearchFunc(f.worst, b, worse)
	f.worst = slices.Insert(f.worst, at, b)
	f.worst = f.worst[:min(len(f.worst), shownElements)]
}

// worse orders elements worst first: mismatches before others, a number before NaN, greater
// absolute errors before smaller ones, then greater relative ones, then by place.
func worse(a, b bad) int {
	if a.mismatch != b.mismatch {
		if a.mismatch {
			return -1
		}
		return 1
	}
	// cmp.Compare puts NaN below every number, so descending order puts it last.
	return cmp.Or(cmp.Compare(b.abs, a.abs), cmp.Compare(b.rel, a.rel), cmp.Compare(a.at, b.at))
}

// histograms counts the finite errors of both kinds into equal bins from 0 to their maxima.
func (p *pair) histograms(absMax, relMax float64) (abs, rel []int) {
	if p.n == 0 {
		return nil, nil
	}
	type counts struct{ abs, rel [bins]int }
	abs, rel = make([]int, bins), make([]int, bins)
	for _, part := range overBlocks(p.n, 0, func(lo, hi int, s *scratch) (c counts) {
		for ; lo < hi; lo += strip {
			a, r := p.errors64(lo, min(lo+strip, hi), s)
			tally10(&c.abs, a, absMax)
			tally10(&c.rel, r, relMax)
		}
		return c
	}) {
		for i := range bins {
			abs[i] += part.abs[i]
			rel[i] += part.rel[i]
		}
	}
	return abs, rel
}

func tally10(counts *[bins]int, values []float64, most float64) {
	for _, v := range values {
		if !(v <= most) {
			continue // NaN and infinities have no bin
		}
		bin := 0
		if v > 0 {
			bin = min(int(v/most*bins), bins-1) // the last bin is closed
		}
		counts[bin]++
	}
}
