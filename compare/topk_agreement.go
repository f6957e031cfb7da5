package compare

import (
	"fmt"
	"math"
	"slices"
)

// TopKAgreement passes where at least the fraction limit of the rows along the last axis have the
// same k greatest elements on both sides, in any order; ties go to the lower index.
// TopKAgreement(1, 0.99) is "99 % of the predictions stay". A row with NaN does not agree.
func TopKAgreement(k int, limit float64) Check {
	return Check{rule: topKAgreement{atLeast{limited{limit}}, k}}
}

type topKAgreement struct {
	atLeast
	k int
}

func (t topKAgreement) name() string { return "topk_agreement" }

func (t topKAgreement) text() string {
	return fmt.Sprintf("top-%d agreement ≥ %s", t.k, number(t.limit))
}

func (t topKAgreement) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: t.limit, k: t.k}
}

func (t topKAgreement) validate() error {
	if t.k < 1 {
		return fmt.Errorf("top-%d agreement: k must be at least 1", t.k)
	}
	if !(t.limit >= 0 && t.limit <= 1) {
		return fmt.Errorf("top-%d agreement: the limit %v is not a fraction between 0 and 1", t.k,
			t.limit)
	}
	return nil
}

func (t topKAgreement) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value, r.Mismatches = p.topKAgreement(t.k, workers)
	r.of, _ = rows(p.expected)
	return nil
}

func (t topKAgreement) reason(r *Result) string {
	return fmt.Sprintf("top-%d agreement is %s: %d of %d rows differ", t.k, short(r.Value),
		r.Mismatches, r.of)
}

// topKAgreement is the fraction of rows with the same k greatest elements on both sides, and how
// many rows have not. It is NaN without a row.
func (p pair) topKAgreement(k, workers int) (fraction float64, disagreeing int) {
	count, length := rows(p.expected)
	agree := func(r int) (float64, bool) {
		a, aNaN := topOf(p.actual, r*length, 1, length, k, nil)
		b, bNaN := topOf(p.expected, r*length, 1, length, k, nil)
		if aNaN || bNaN {
			return 0, true
		}
		byIndex := func(x, y candidate) int { return x.index - y.index }
		slices.SortFunc(a, byIndex)
		slices.SortFunc(b, byIndex)
		same := slices.EqualFunc(a, b, func(x, y candidate) bool { return x.index == y.index })
		return 0, !same
	}
	_, disagreeing = overRows(count, length, workers, agree, math.Max)
	return float64(count-disagreeing) / float64(count), disagreeing
}
