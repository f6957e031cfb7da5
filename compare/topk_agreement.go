package compare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
)

// TopKAgreement passes if enough rows along the last axis have the same k largest elements on both
// sides, in any order; ties go to the lower index. The limit is the fraction of rows that is
// enough. TopKAgreement(1, 0.99) means that 99 % of the predictions are unchanged. A row with NaN
// does not agree. A row does not agree either if all its values are the same on one side, but not
// on the other side. It is an error if every expected value is NaN, or if k is not less than the
// length of a row.
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
		return fmt.Errorf("top-%d agreement: the limit is %v: want a fraction above 0 and at most 1", t.k,
			t.limit)
	}
	return nil
}

func (t topKAgreement) measure(p pair, r *Result) error {
	count, length := rows(p.expected)
	all := p.topKAgreement(t.k)
	r.Of, r.Mismatches = count, all.disagreeing
	r.Value = float64(count-all.disagreeing) / float64(count)
	switch {
	case !all.numbers:
		return errors.New("the expected side is all NaN, so it has no order")
	case length == 1:
		r.hollow = hollow(holdOtherwise, "each row has only one score, which is always the "+
			"highest")
	case t.k >= length:
		r.hollow = hollow(fmt.Sprintf("set k below %d", length), "a row has %d classes, so the "+
			"top %d are all of them", length, t.k)
	case !all.ordered:
		r.hollow = hollow(holdOtherwise, "every row is constant, so no score ranks above another")
	}
	return nil
}

func (t topKAgreement) reason(r *Result) string {
	return fmt.Sprintf("top-%d agreement is %s: %d of %d rows differ", t.k, figures.Short(r.Value),
		r.Mismatches, r.Of)
}

// agreement counts the rows on which the sides disagree, and says whether the rows could disagree
// at all.
type agreement struct {
	disagreeing int
	ordered     bool // some row has an order on both sides
	numbers     bool // some row of the expected side is not all NaN
}

// topKAgreement compares the k largest elements of each row on both sides. A row with NaN does not
// agree. A row does not agree either if all its values are the same on one side, but not on the
// other side.
func (p pair) topKAgreement(k int) (all agreement) {
	count, length := rows(p.expected)
	k = min(k, length)
	for _, part := range overRows(count, length, func(total *agreement, r int) {
		top, a := topOf(p.actual, r*length, 1, length, k)
		expectedTop, b := topOf(p.expected, r*length, 1, length, k)
		total.numbers = total.numbers || b.numbers > 0
		if a.numbers < length || b.numbers < length || a.flat != b.flat {
			total.disagreeing++
			return
		}
		total.ordered = total.ordered || !a.flat
		slices.Sort(top)
		slices.Sort(expectedTop)
		if !slices.Equal(top, expectedTop) {
			total.disagreeing++
		}
	}) {
		all.disagreeing += part.disagreeing
		all.ordered, all.numbers = all.ordered || part.ordered, all.numbers || part.numbers
	}
	return all
}
