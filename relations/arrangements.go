package relations

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// arrangement says which row is at each position of a batch, by its index in the pool of rows. −1
// stands for a row in which all floats are replaced by NaN or by huge values; by says which.
type arrangement struct {
	how   string
	which []int
	by    string // withNaN or withHuge
}

// arrangements returns the ways in which [Batch] fills a batch of n rows.
func (b *batcher) arrangements(n int) []arrangement {
	same, mixed, turned := make([]int, n), make([]int, n), make([]int, n)
	nan, huge := make([]int, n), make([]int, n)
	for i := range n {
		mixed[i], turned[n-1-i] = i%len(b.pool), i%len(b.pool)
	}
	list := []arrangement{{"equal rows", same, ""}}
	if n == 1 {
		return list
	}
	nan[n/2], huge[(n-1)/2] = -1, -1
	return append(list, arrangement{"different rows", mixed, ""},
		arrangement{"the same rows in another order", turned, ""},
		arrangement{"next to a row of " + withNaN, nan, withNaN},
		arrangement{"next to a row of " + withHuge, huge, withHuge})
}

// fill returns the rows of an arrangement. It returns nil if the arrangement has a row whose floats
// must be replaced, but no input has floats that may be replaced.
func (b *batcher) fill(a arrangement) ([]*tensor.Set, error) {
	rows := make([]*tensor.Set, len(a.which))
	for i, w := range a.which {
		if w >= 0 {
			rows[i] = b.pool[w]
			continue
		}
		replaced, err := b.replaced(b.pool[0], a.by)
		if replaced == nil {
			return nil, err
		}
		rows[i] = replaced
	}
	return rows, nil
}

// check runs an arrangement of rows as a batch, and compares the result of each row with its
// expected result; see [batcher.compareRows].
func (b *batcher) check(a arrangement, expected []reference,
	blame func(*Breach, []*tensor.Set)) error {
	rows, err := b.fill(a)
	if rows == nil {
		return err
	}
	_, err = b.compareRows(rows, a.how, expected, func(x *Breach) { blame(x, rows) })
	return err
}

// compareRows runs the rows as one batch, and compares the result of each row with its expected
// result. It does not compare rows whose expected result is the zero reference. If rows differ, it
// records the difference, and blame adds its cause.
func (b *batcher) compareRows(rows []*tensor.Set, how string, expected []reference,
	blame func(*Breach)) (reference, error) {
	of, err := b.runRows(rows)
	if err != nil {
		return of, fmt.Errorf("%s: %w", how, err)
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
			breach = newBreach(d, how)
			breach.Batch, breach.Row, breach.Wrong = len(rows), &i, []int{i}
		default:
			breach.Wrong = append(breach.Wrong, i)
		}
	}
	if breach == nil {
		return of, nil
	}
	blame(breach)
	b.locateRows(breach, rows)
	return of, b.breaks(breach)
}

// differs compares one row of a batch's outputs with the row's expected result. It returns nil if
// they agree.
func (b *batcher) differs(of reference, at int, expected reference) (*difference, error) {
	for name, axis := range b.outputs {
		t, ok := of.outputs.Get(name)
		if ok && (axis >= len(t.Shape()) || at >= t.Shape()[axis]) {
			b.judge.compared++
			return &difference{output: name, text: fmt.Sprintf("its shape %v has no row %d",
				t.Shape(), at)}, nil
		}
	}
	own, err := rowOf(of.outputs, b.outputsOf(of), at, false)
	if err != nil {
		return nil, err
	}
	return b.judge.sets(own, expected)
}

// outputsOf returns the batch axes of those outputs that the run contains.
func (b *batcher) outputsOf(of reference) map[string]int {
	axes := maps.Clone(b.outputs)
	maps.DeleteFunc(axes, func(name string, _ int) bool { _, ok := of.outputs.Get(name); return !ok })
	return axes
}

// blame finds out whether a row is wrong by itself or because of its neighbours, by running a batch
// of copies of the row.
func (b *batcher) blame(breach *Breach, a arrangement, rows []*tensor.Set) {
	at, n := *breach.Row, len(rows)
	if !slices.ContainsFunc(a.which, func(w int) bool { return w != a.which[at] }) {
		breach.Blame = "its neighbours are not the cause: all rows of the batch are equal"
		if good := n - len(breach.Wrong); good > 0 {
			breach.Blame += fmt.Sprintf(", and %d of %d are right", good, n)
		}
		return
	}
	of, err := b.runRows(slices.Repeat(rows[at:at+1], n))
	if err != nil {
		return
	}
	compared := b.judge.compared
	d, err := b.differs(of, at, b.alone[a.which[at]])
	b.judge.compared = compared // the search for the cause does not count
	switch {
	case err != nil:
	case d != nil:
		breach.Blame = "the row itself is wrong, even in a batch of copies of itself"
	default:
		breach.Blame = "its neighbours change its result: in a batch of copies of itself, it is right"
	}
}
