package relations

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// arrangement is a batch. Each of its rows comes from the batcher's pool or is filled with NaN or
// huge values.
type arrangement struct {
	how  string
	rows []*tensor.Set
}

// extreme is a row in which NaN or huge values replace all floats.
type extreme struct {
	of  string // "NaN" or "huge values"
	row *tensor.Set
}

// arrangements returns the ways in which [Batch] fills a batch of n rows.
func (b *batcher) arrangements(n int) []arrangement {
	equal := slices.Repeat(b.pool[:1], n)
	list := []arrangement{{"equal rows", equal}}
	if n == 1 {
		return list
	}
	mixed, turned := b.cycled(n), b.cycled(n)
	slices.Reverse(turned)
	list = append(list, arrangement{"different rows", mixed},
		arrangement{"the same rows in another order", turned})
	for k, e := range b.extremes {
		rows := slices.Clone(equal)
		rows[(n-k)/2] = e.row
		list = append(list, arrangement{"equal rows except for one row filled with " + e.of, rows})
	}
	return list
}

// expected returns the expected result of each row, from b.alone. For a row of NaN or huge values,
// there is no expected result: the list contains reference{}.
func (b *batcher) expected(a arrangement) []reference {
	list := make([]reference, len(a.rows))
	for i, row := range a.rows {
		list[i] = b.alone[row]
	}
	return list
}

// compareRows runs an arrangement of rows as one batch, and compares the result of each row with
// its expected result. It skips rows without an expected result. If rows differ, it records the
// difference, and blame adds its cause.
func (b *batcher) compareRows(a arrangement, expected []reference, blame func(*Breach)) (
	reference, error) {
	of, err := b.runRows(a.rows)
	if err != nil {
		return of, fmt.Errorf("%s: %w", a.how, err)
	}
	var breach *Breach
	for i, own := range expected {
		if own.run == nil {
			continue
		}
		d, err := b.differs(of, i, own)
		switch {
		case err != nil:
			return of, err
		case d == nil:
		case breach == nil:
			breach = d
			breach.How, breach.Batch, breach.Row, breach.Wrong = a.how, len(a.rows), &i, []int{i}
		default:
			breach.Wrong = append(breach.Wrong, i)
		}
	}
	if breach == nil {
		return of, nil
	}
	blame(breach)
	b.locateRows(breach, a.rows)
	return of, b.breaks(breach)
}

// differs compares one row of a batch's outputs with the row's expected result. It returns nil if
// they agree.
func (b *batcher) differs(of reference, at int, expected reference) (*Breach, error) {
	for name, axis := range b.outputs {
		t, ok := of.outputs.Get(name)
		if ok && (axis >= len(t.Shape()) || at >= t.Shape()[axis]) {
			b.judge.compared++
			return &Breach{Output: name, Text: fmt.Sprintf("its shape %v has no row %d",
				t.Shape(), at)}, nil
		}
	}
	own, err := rowOf(of.outputs, b.outputs, at, false)
	if err != nil {
		return nil, err
	}
	return b.judge.sets(own, expected)
}

// blame finds out whether a row is wrong by itself or because of its neighbours, by running a batch
// of copies of the row.
func (b *batcher) blame(breach *Breach, a arrangement) {
	const innocent = "the values of the other rows are not the cause: "
	at, n := *breach.Row, len(a.rows)
	if !slices.ContainsFunc(a.rows, func(row *tensor.Set) bool { return row != a.rows[at] }) {
		breach.Blame = innocent + "all rows of the batch have the same inputs"
		if good := n - len(breach.Wrong); good > 0 {
			breach.Blame += fmt.Sprintf("; %d of %d rows give the right result", good, n)
		}
		return
	}
	of, err := b.runRows(slices.Repeat(a.rows[at:at+1], n))
	if err != nil {
		return
	}
	compared := b.judge.compared
	d, err := b.differs(of, at, b.alone[a.rows[at]])
	b.judge.compared = compared // the search for the cause does not count
	switch {
	case err != nil:
	case d != nil:
		breach.Blame = innocent + "a batch of copies of this row is wrong, too"
	default:
		breach.Blame = "the values of the other rows are the cause: among copies of itself, it is right"
	}
}
