package compare

import (
	"cmp"
	"slices"
	"sync"
)

// facts contains what one pass over the errors finds out for [Statistics].
type facts struct {
	mismatches int
	abs, rel   errorFacts
	sides      [2]deviations // of the actual values and of the expected values
	worst      []bad
}

// errorFacts summarises either the absolute or the relative errors.
type errorFacts struct {
	finite, nan int
	max         float64 // the largest finite error
	maxAt       int
	sum         float64 // the sum of the finite errors
	nonFiniteAt int     // the first element whose error is NaN, or else infinite; −1 if none is
}

// bad is a candidate for the list of worst elements. The field at is its flat index.
type bad struct {
	at       int
	abs, rel float64
	mismatch bool
}

// facts summarises the errors of the whole pair. decider is the rule that decides which elements
// mismatch. If decider is nil and allMatch is true, no element mismatches. If decider is nil and
// allMatch is false, the number of mismatches is unknown.
func (p pair) facts(decider elementRule, allMatch bool) *facts {
	total := newFacts()
	parts := make([]facts, (p.n+block-1)/block)
	var lock sync.Mutex
	overWorkers(p.n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		var worst []bad // shared by all blocks of one worker, so that few chunks need a closer look
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			f := newFacts()
			f.worst = worst
			at := lo / block
			for ; lo < hi; lo += chunk {
				f.take(&p, lo, min(lo+chunk, hi), decider, s)
			}
			worst, f.worst = f.worst, nil
			parts[at] = f
		}
		lock.Lock()
		defer lock.Unlock()
		for _, b := range worst {
			total.keep(b)
		}
	})
	for i := range parts {
		total.add(&parts[i])
	}
	if decider == nil && !allMatch {
		total.mismatches = -1
	}
	return &total
}

func newFacts() facts {
	return facts{abs: errorFacts{nonFiniteAt: -1}, rel: errorFacts{nonFiniteAt: -1}}
}

// take adds the errors of one chunk to f. It adds up all errors, but looks at single elements only
// if one of them may belong to the list of worst elements.
func (f *facts) take(p *pair, lo, hi int, by elementRule, s *scratch) {
	mismatches, nans := 0, f.abs.nan
	if by != nil {
		mismatches = by.mismatching(*p, lo, hi, s)
	}
	var of [2]errorTotals
	if p.wide {
		abs, rel := p.errorsAndTotals64(lo, hi, s, &of)
		takeErrors(&f.abs, abs, &of[0], lo)
		takeErrors(&f.rel, rel, &of[1], lo)
	} else {
		abs, rel := p.errorsAndTotals(lo, hi, s, &of)
		takeErrors(&f.abs, abs, &of[0], lo)
		takeErrors(&f.rel, rel, &of[1], lo)
	}
	switch p.arith {
	case inFloat32:
		f.sides[0].add(deviationsOf(float32s(p.actual, lo, hi, &s.a32), f.sides[0].odd))
		f.sides[1].add(deviationsOf(float32s(p.expected, lo, hi, &s.b32), f.sides[1].odd))
	case inString:
	default:
		f.sides[0].add(deviationsOf(float64s(p.actual, lo, hi, &s.a64), f.sides[0].odd))
		f.sides[1].add(deviationsOf(float64s(p.expected, lo, hi, &s.b64), f.sides[1].odd))
	}
	f.mismatches += mismatches
	// Elements whose errors are NaN come last in the list, and they mismatch.
	onlyNaN := mismatches <= f.abs.nan-nans
	chunkMax, _ := of[0].all()
	if cut, full := f.cut(); full && (cut.mismatch && onlyNaN ||
		(cut.mismatch || mismatches == 0) && chunkMax <= cut.abs) {
		return
	}
	f.takeWorst(p, lo, hi, by, s)
}

// cut returns the last element in the list of worst elements, and whether the list is full. Only an
// element that is worse than the last can enter a full list.
func (f *facts) cut() (bad, bool) {
	if len(f.worst) < shownElements {
		return bad{}, false
	}
	return f.worst[len(f.worst)-1], true
}

// takeWorst adds the elements [lo,hi) to the list of worst elements, if they belong there.
func (f *facts) takeWorst(p *pair, lo, hi int, by elementRule, s *scratch) {
	var mismatches []int
	if by != nil {
		mismatches = p.mismatchesIn(by, lo, hi, s)
	}
	abs, rel := p.errors64(lo, hi, s)
	for i, d := range abs {
		b := bad{lo + i, d, rel[i], len(mismatches) > 0 && mismatches[0] == lo+i}
		if b.mismatch {
			mismatches = mismatches[1:]
		}
		if cut, full := f.cut(); !full || worse(b, cut) < 0 {
			f.keep(b)
		}
	}
}

// takeErrors adds the absolute or the relative errors of a chunk of elements, from element lo on.
func takeErrors[F float32 | float64](f *errorFacts, errors []F, of *errorTotals, lo int) {
	switch {
	case of.nan > 0 && f.nan == 0:
		f.nonFiniteAt = lo + slices.IndexFunc(errors, func(e F) bool { return e != e })
	case of.infinite > 0 && f.nonFiniteAt < 0:
		f.nonFiniteAt = lo + slices.IndexFunc(errors, func(e F) bool { return e-e != 0 })
	}
	if of.finite > 0 && (f.finite == 0 || of.most > f.max) {
		f.max, f.maxAt = of.most, lo+slices.Index(errors, F(of.most))
	}
	f.finite += of.finite
	f.nan += of.nan
	f.sum += of.sums.sum()
}

func (f *facts) add(part *facts) {
	f.mismatches += part.mismatches
	f.abs.add(&part.abs)
	f.rel.add(&part.rel)
	for i := range f.sides {
		f.sides[i].add(part.sides[i])
	}
}

func (f *errorFacts) add(part *errorFacts) {
	if part.finite > 0 && (f.finite == 0 || part.max > f.max) {
		f.max, f.maxAt = part.max, part.maxAt
	}
	if f.nonFiniteAt < 0 || f.nan == 0 && part.nan > 0 {
		f.nonFiniteAt = part.nonFiniteAt
	}
	f.finite += part.finite
	f.nan += part.nan
	f.sum += part.sum
}

// keep inserts b into the sorted list of the worst elements, if it belongs there.
func (f *facts) keep(b bad) {
	at, _ := slices.BinarySearchFunc(f.worst, b, worse)
	f.worst = slices.Insert(f.worst, at, b)
	f.worst = f.worst[:min(len(f.worst), shownElements)]
}

// worse orders elements worst first: mismatches before other elements, numbers before NaN, larger
// absolute errors before smaller ones, and then by index.
func worse(a, b bad) int {
	if a.mismatch != b.mismatch {
		if a.mismatch {
			return -1
		}
		return 1
	}
	// cmp.Compare puts NaN below every number, so descending order puts it last.
	return cmp.Or(cmp.Compare(b.abs, a.abs), cmp.Compare(a.at, b.at))
}
