package compare

import (
	"math"
	"slices"
)

// Statistics says how two tensors differ. It is computed on demand, never for the verdict.
type Statistics struct {
	Elements int
	// Mismatches is how many elements are out of tolerance under the first check that has a
	// tolerance for an element (under a Within of another statistic: under its atol and rtol, each
	// element for itself), or −1 where there is none.
	Mismatches int
	// Actual and Expected count what is not finite on each side.
	Actual, Expected Census
	// Abs and Rel are the errors of all elements. NaN wins everywhere, as in Polygraphy.
	Abs, Rel Errors
	// FiniteAbs and FiniteRel leave out the errors that are not finite. They are what a reader
	// wants to see where a few NaN would hide the rest.
	FiniteAbs, FiniteRel Errors
	// Worst are the mismatching elements (all, where Mismatches is not positive) with the greatest
	// absolute error, worst first, then those whose error is NaN; at most five.
	Worst []Element
	// Window is both tensors around the first of Worst.
	Window Window
	// Where says in one line where the mismatches gather (a row, a column, a channel, one half, every
	// n-th index), or is empty where they do not.
	Where string
	// ActualValues and ExpectedValues are the means and standard deviations of the two sides.
	ActualValues, ExpectedValues SideValues
	// Required says for each check that failed what would have let it pass. A rule of [Func] has
	// nothing that could be adjusted from outside, and no entry.
	Required []Required
}

// Errors is the distribution of the absolute or of the relative error.
type Errors struct {
	Count int     // how many elements it is over
	Max   float64 // 0 for no element
	MaxAt []int   // the N-d index of the first element that has it; nil for no element
	Mean  float64 // in float64; NaN for no element
	// Median, P90, P95 and P99 are quantiles by linear interpolation, in the errors' own type.
	Median, P90, P95, P99 float64
	// Quantile is the quantile of the first quantile check, or P99, Polygraphy's default.
	Quantile float64
	// Histogram is the errors in ten equal bins from 0 to Max, the last one closed, or nil where
	// the errors are not all finite.
	Histogram []int
}

// Element is one element of both tensors.
type Element struct {
	Index            []int  // the item first, where the output is a sequence
	Key              string // of a map, as Go writes it; else ""
	Actual, Expected string // the values as the tensors print them
	Abs, Rel         float64
	// ULP is how many representable values lie between the two, where a check counts them, else NaN.
	ULP float64
}

// shownElements is how many worst elements, and how many positions of a census, are kept.
const shownElements = 5

// bins is the number of bins of a histogram.
const bins = 10

// Statistics computes the rest of what is known about an output. Where the values were not
// compared (another shape, a lost output) only the censuses are filled. For a report that was read
// from JSON it is what the file held.
func (o Output) Statistics() Statistics {
	if o.known != nil {
		return *o.known
	}
	s := o.statistics()
	o.restore(&s)
	return s
}

// statistics is Statistics with the places in the stacked tensor of a sequence.
func (o Output) statistics() Statistics {
	s := noStatistics()
	s.Elements = o.Actual.Len()
	p, err := pairOf(o.Actual, o.Expected, o.rules)
	if len(o.Results) > 0 && o.Actual != nil && o.Expected != nil && err == nil {
		s.measure(&p, o.Results)
		if s.Abs.Max <= math.MaxFloat64 && o.rules == (equality{}) {
			return s // a finite difference has finite operands, so there is nothing to count
		}
	}
	s.Actual, s.Expected = censusOf(o.Actual, 0), censusOf(o.Expected, 0)
	return s
}

func noStatistics() Statistics {
	none := Errors{Mean: nan, Median: nan, P90: nan, P95: nan, P99: nan, Quantile: nan}
	unknown := SideValues{nan, nan}
	return Statistics{Mismatches: -1, Abs: none, Rel: none, FiniteAbs: none, FiniteRel: none,
		ActualValues: unknown, ExpectedValues: unknown}
}

// measure fills in what needs both tensors.
func (s *Statistics) measure(p *pair, results []Result) {
	by, none := elementRuleOf(*p, results)
	f := p.facts(by, none)
	s.Mismatches = f.mismatches
	s.Where = p.gathered(by, f.mismatches)
	s.ActualValues, s.ExpectedValues = f.sides[0].values(), f.sides[1].values()
	counted := slices.ContainsFunc(results, countsULP)
	for _, b := range f.worst {
		if b.mismatch || f.mismatches <= 0 {
			e := p.element(b)
			if counted {
				e.ULP = p.ulpAt(b.at)
			}
			s.Worst = append(s.Worst, e)
		}
	}
	if len(f.worst) > 0 {
		s.Window = p.window(f.worst[0].at)
	}
	s.Abs, s.FiniteAbs = p.errors(&f.abs)
	s.Rel, s.FiniteRel = p.errors(&f.rel)
	p.distributions([2][]*Errors{{&s.Abs, &s.FiniteAbs}, {&s.Rel, &s.FiniteRel}}, f, asked(results))
	if f.abs.finite == p.n {
		s.Abs.Histogram = s.FiniteAbs.Histogram
	}
	if f.rel.finite == p.n {
		s.Rel.Histogram = s.FiniteRel.Histogram
	}
	for _, r := range results {
		if r.Verdict == Fail && r.Check.adjustable() {
			s.Required = append(s.Required, p.required(r))
		}
	}
}

// asked is the first quantile that a check asks for, or NaN.
func asked(results []Result) float64 {
	for _, r := range results {
		if q, ok := r.Check.Stat().quantile(); ok {
			return q
		}
	}
	return nan
}

func (p *pair) element(b bad) Element {
	return Element{Index: p.actual.Shape().Index(b.at), Actual: p.actual.Text(b.at),
		Expected: p.expected.Text(b.at), Abs: b.abs, Rel: b.rel, ULP: nan}
}

// errors is the count, maximum and mean of one error, over all elements and over the finite ones.
func (p *pair) errors(f *errorFacts) (all, finite Errors) {
	finite = Errors{Count: f.finite, Max: f.max, Mean: f.sum / float64(f.finite), Quantile: nan}
	if f.finite > 0 {
		finite.MaxAt = p.actual.Shape().Index(f.maxAt)
	}
	if f.finite == p.n {
		return finite, finite
	}
	odd := math.Inf(1)
	if f.nan > 0 {
		odd = nan
	}
	all = Errors{Count: p.n, Max: odd, MaxAt: p.actual.Shape().Index(f.oddAt), Mean: odd,
		Quantile: nan}
	return all, finite
}
