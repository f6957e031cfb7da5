package compare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
)

// TopKAgreement passes if at least the fraction limit of the rows along the last axis have the same
// k greatest elements on both sides, in any order; ties go to the lower index. TopKAgreement(1,
// 0.99) means that 99 % of the predictions are unchanged. A row with NaN does not agree, nor does a
// row whose values are all equal on only one side. It is an error if every expected value is NaN,
// or if k is not less than the length of a row.
func TopKAgreement(k int, limit float64) Check {
	return Check{rule: topKAgreement{atLeast{limited{limit}}, k}}
}

type topKAgreement struct {
	atLeast
	k int
}

func (t topKAgreement) name() string { return "topk_agreement" }

func (t topKAgreement) text() string {
	return fmt.Sprintf("top-%d agreement ≥ %s", t.k, figures.Exact(t.limit))
}

func (t topKAgreement) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: t.limit, k: t.k}
}

func (t topKAgreement) validate() error {
	if t.k < 1 {
		return fmt.Errorf("top-%d agreement: k must be at least 1", t.k)
	}
	if !(t.limit > 0 && t.limit <= 1) {
		return fmt.Errorf("top-%d agreement: the limit %v is not a fraction above 0 and at most 1", t.k,
			t.limit)
	}
	return nil
}

func (t topKAgreement) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	met, length := 0, 0
	r.Value, r.Mismatches, met = p.topKAgreement(t.k, workers)
	r.of, length = rows(p.expected)
	switch {
	case met&rowNumbers == 0:
		return errors.New("the expected side is all NaN, which has no order")
	case length == 1:
		r.hollow = hollow(holdOtherwise, "each row has one class, which is always the top one")
	case t.k >= length:
		r.hollow = hollow(fmt.Sprintf("ask for fewer than %d", length), "a row has %d classes, so the "+
			"top %d are all of them", length, t.k)
	case met&rowOrdered == 0:
		r.hollow = hollow(holdOtherwise, "every row holds one value throughout, so there is no order")
	}
	return nil
}

func (t topKAgreement) reason(r *Result) string {
	return fmt.Sprintf("top-%d agreement is %s: %d of %d rows differ", t.k, figures.Short(r.Value),
		r.Mismatches, r.of)
}

// Bits that say what kinds of rows have occurred; they are combined over all rows.
const (
	rowOrdered = 1 << iota // some row has an order on both sides
	rowNumbers             // some row of the expected side is not all NaN
)

// topKAgreement returns the fraction of rows with the same k greatest elements on both sides, the
// number of other rows, and which kinds of rows have occurred. A row with NaN does not agree, nor
// does a row that has an order on only one side.
func (p pair) topKAgreement(k, workers int) (fraction float64, disagreeing, met int) {
	count, length := rows(p.expected)
	agree := func(r int) (float64, bool) {
		a := topOf(p.actual, r*length, 1, length, k, nil)
		b := topOf(p.expected, r*length, 1, length, k, nil)
		kind := 0
		if b.numbers > 0 {
			kind = rowNumbers
		}
		if a.numbers < length || b.numbers < length || a.flat != b.flat {
			return float64(kind), true
		}
		if !a.flat {
			kind |= rowOrdered
		}
		byIndex := func(x, y candidate) int { return x.index - y.index }
		slices.SortFunc(a.top, byIndex)
		slices.SortFunc(b.top, byIndex)
		same := slices.EqualFunc(a.top, b.top,
			func(x, y candidate) bool { return x.index == y.index })
		return float64(kind), !same
	}
	kinds, disagreeing := overRows(count, length, workers, agree, func(a, b float64) float64 {
		return float64(int(a) | int(b))
	})
	return float64(count-disagreeing) / float64(count), disagreeing, int(kinds)
}
