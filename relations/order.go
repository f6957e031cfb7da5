package relations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Order requires that the order of the rows has no effect, as in a model of point clouds, whose
// rows are points. The rows lie along the batch axis, unless Options.Along names another axis. If
// the inputs are permuted along this axis, outputs with such an axis must be permuted in the same
// way, and other outputs must stay the same.
func Order() Relation {
	return Relation{name: "order", text: "permuting the inputs permutes the outputs",
		check: (*checker).order, rows: true}
}

func (c *checker) order() error {
	own, err := c.ownRows()
	if err != nil {
		return err
	}
	b := &batcher{checker: c, pool: own, alone: map[*tensor.Set]reference{}}
	n := len(b.pool)
	if err := b.openSizes(n, n-1); err != nil {
		return err
	}
	base, err := b.runRows(b.pool)
	if err != nil {
		return err
	}
	shorter, err := b.runRows(b.pool[:n-1])
	if err != nil {
		return err
	}
	var still []string
	b.outputs, still = b.axes.outputAxes(c.subject.Model, base.outputs, shorter.outputs, n, n-1)
	b.note("permuted %d rows along %v", n, b.axes)
	still = slices.DeleteFunc(still, func(name string) bool {
		long, _ := base.outputs.Get(name)
		short, ok := shorter.outputs.Get(name)
		resized := ok && !long.Shape().Equal(short.Shape())
		if resized {
			b.note("not compared: the shape of output %q depends on the number of rows, but none of its "+
				"axes has one element for each row", name)
		}
		return resized
	})
	if len(still) > 0 {
		b.note("these outputs have no row axis, so they must not change: %s", strings.Join(still, ", "))
	}
	for i, row := range own {
		if b.alone[row], err = b.row(base, i); err != nil {
			return err
		}
	}
	unpermuted := reference{run: base.run, outputs: base.outputs.Only(still...)}
	turned, shifted := slices.Clone(own), slices.Concat(own[1:], own[:1])
	slices.Reverse(turned)
	for _, p := range []arrangement{{"in reverse order", turned},
		{"with the first row moved to the end", shifted}} {
		of, err := b.compareRows(p, b.expected(p), func(x *Breach) {
			x.Blame = fmt.Sprintf("row %d was row %d before the permutation", *x.Row,
				slices.Index(b.pool, p.rows[*x.Row]))
		})
		if err != nil {
			return err
		}
		if err := b.same(of.outputs, unpermuted, p.how); err != nil {
			return err
		}
	}
	return nil
}

// ownRows returns the rows of the subject's inputs or, if there are fewer than three, also rows
// derived from them.
func (c *checker) ownRows() ([]*tensor.Set, error) {
	n := countOf(c.sets[0], c.axes.inputs)
	if n < 3 {
		return pool(c.sets, c.axes.inputs)
	}
	var rows []*tensor.Set
	for i := range n {
		row, err := rowOf(c.sets[0], c.axes.inputs, i, true)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if !slices.ContainsFunc(rows, func(r *tensor.Set) bool {
		return !sameInputs(r, rows[0], c.axes.inputs)
	}) {
		return nil, fmt.Errorf("all %d rows along %v are equal, so their order has no effect; pass "+
			"inputs whose rows differ", n, c.axes)
	}
	return rows, nil
}
