package compare

import (
	"math"
	"slices"
)

// Statistics describes how two tensors differ. It is computed on demand, never for the verdict.
type Statistics struct {
	Elements int `json:"-"`
	// Mismatches is the number of elements out of tolerance under the first check that has a
	// tolerance for single elements, or −1 if no check does. For a Within check of a statistic
	// other than Elementwise, each element is compared with the check's atol and rtol.
	Mismatches int `json:"-"`
	// Actual and Expected count the NaN and infinite values on each side.
	Actual   Census `json:"actual"`
	Expected Census `json:"expected"`
	// Abs and Rel summarise the errors of all elements. A NaN error makes every number NaN, as in
	// Polygraphy.
	Abs Errors `json:"-"`
	Rel Errors `json:"-"`
	// FiniteAbs and FiniteRel leave out NaN and infinite errors, so that a few NaN do not hide the
	// other errors.
	FiniteAbs Errors `json:"finite_abs"`
	FiniteRel Errors `json:"finite_rel"`
	// Where is one line that says in which part of the tensor all mismatches lie: in [*,3] for column
	// 3, in [*,2::4] for every fourth column from column 2 on. It is empty if they are scattered.
	Where string `json:"where,omitempty"`
	// Values describes the values of the two sides.
	Values BothValues `json:"values"`
	// Worst lists up to five mismatching elements, or up to five elements of any kind if Mismatches is
	// not positive. The largest absolute errors come first; elements whose error is NaN come last.
	Worst []Element `json:"worst,omitempty"`
	// Required says, for each failed check, which tolerance or limit would have let it pass. A rule
	// made by [Func] has no entry, because only its function knows, and neither do [WithinNoise]
	// and [NoWorseThan], whose limits are measured.
	Required []Required `json:"required,omitempty"`
}

// Errors summarises either the absolute or the relative errors.
type Errors struct {
	Count int     `json:"count"`  // the number of elements
	Max   float64 `json:"max"`    // 0 without elements
	MaxAt []int   `json:"max_at"` // the index of the first element with the greatest error
	Mean  float64 `json:"mean"`   // in float64; NaN without elements
	// Median, P90, P95 and P99 are quantiles, interpolated linearly in the errors' own type.
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	// Quantile is the quantile that the first quantile check asks for, or P99, Polygraphy's
	// default.
	Quantile float64 `json:"quantile"`
	// Histogram counts the errors in ten equal bins from 0 to Max; the last bin includes Max. It is
	// nil if some error is NaN or infinite.
	Histogram []int `json:"histogram,omitempty"`
}

// Element describes one element of both tensors.
type Element struct {
	Index    []int   `json:"index"`         // for a sequence, the item's index comes first
	Key      string  `json:"key,omitempty"` // the key of a map entry, in Go syntax
	Actual   string  `json:"actual"`        // the values as the tensors print them
	Expected string  `json:"expected"`
	Abs      float64 `json:"abs"`
	Rel      float64 `json:"rel"`
	// ULP is the distance between the two values, counted in representable values. It is nil unless
	// there is a ULP check.
	ULP *float64 `json:"ulp,omitempty"`
}

// shownElements is the number of worst elements to keep. A [Census] also keeps up to this many
// positions of NaN, and up to this many positions of infinities.
const shownElements = 5

// bins is the number of bins of a histogram.
const bins = 10

// Statistics returns numbers that describe how the two sides of the output differ. If the values
// were not compared (for example because the shapes differ), only Actual and Expected are filled
// in. For a report that was read from JSON, Statistics returns the numbers in the file.
func (o Output) Statistics() Statistics {
	if o.known != nil {
		return *o.known
	}
	s := o.statistics()
	o.restore(&s)
	return s
}

// statistics computes the result of [Output.Statistics]. For a sequence or a map, the indices in it
// refer to the tensor into which all values are stacked.
func (o Output) statistics() Statistics {
	s := noStatistics()
	s.Elements = o.Actual.Len()
	if p, ok := o.pair(); ok {
		finite := s.measure(&p, o.Results)
		if finite[0] < p.n {
			s.Actual = CensusOf(o.Actual)
		}
		if finite[1] < p.n {
			s.Expected = CensusOf(o.Expected)
		}
		return s
	}
	s.Actual, s.Expected = CensusOf(o.Actual), CensusOf(o.Expected)
	return s
}

func noStatistics() Statistics {
	none := Errors{MaxAt: []int{}, Mean: nan, Median: nan, P90: nan, P95: nan, P99: nan, Quantile: nan}
	unknown := SideValues{nan, nan}
	return Statistics{Mismatches: -1, Abs: none, Rel: none, FiniteAbs: none, FiniteRel: none,
		Values: BothValues{unknown, unknown}}
}

// measure fills in the numbers that need both tensors. It returns the number of finite values of
// each side.
func (s *Statistics) measure(p *pair, results []Result) (finite [2]int) {
	by, none := elementRuleOf(*p, results)
	f := p.facts(by, none)
	s.Mismatches = f.mismatches
	s.Where = p.gathered(by, f.mismatches)
	s.Values = BothValues{f.sides[0].values(), f.sides[1].values()}
	counted := slices.ContainsFunc(results, countsULP)
	for _, b := range f.worst {
		if b.mismatch || f.mismatches <= 0 {
			e := p.element(b)
			if counted {
				ulp := p.ulpAt(b.at)
				e.ULP = &ulp
			}
			s.Worst = append(s.Worst, e)
		}
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
	return [2]int{int(f.sides[0].n), int(f.sides[1].n)}
}

// asked returns the quantile that the first quantile check uses, or NaN if there is none.
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
		Expected: p.expected.Text(b.at), Abs: b.abs, Rel: b.rel}
}

// errors returns the count, maximum and mean of the errors, over all elements and over the finite
// errors.
func (p *pair) errors(f *errorFacts) (all, finite Errors) {
	finite = Errors{Count: f.finite, Max: f.max, MaxAt: []int{}, Mean: f.sum / float64(f.finite),
		Quantile: nan}
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
	all = Errors{Count: p.n, Max: odd, MaxAt: p.actual.Shape().Index(f.nonFiniteAt), Mean: odd,
		Quantile: nan}
	return all, finite
}
