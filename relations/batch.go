package relations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Batch requires that a row gives the same result alone and in batches of any size: among copies of
// itself, among other rows, at any position, and next to a row of NaN or huge values. Options.Sizes
// sets the batch sizes. If 1 is not among the sizes, the reference is not the row alone but a batch
// of the smallest size.
func Batch() Relation {
	return Relation{name: "batch", text: "each row of a batch gives the same result as alone",
		check: (*checker).batch, rows: true}
}

// Rows requires that a row of a batch does not depend on the other rows: it must give the same
// result after their values change, even to NaN or huge values. Unlike [Batch], Rows keeps the size
// of the batch, so it does not compare the kernels for different sizes.
func Rows() Relation {
	return Relation{name: "rows", text: "each row of a batch is independent of its neighbours",
		check: (*checker).rows, rows: true}
}

// rowSizes lists the batch sizes for [Rows]. Small batches suffice to show that rows depend on each
// other.
var rowSizes = []int{2, 3, 7}

// batcher checks relations between the rows of batches. A row is the inputs of one item: one index
// along the batch axis of each input.
type batcher struct {
	*checker
	pool  []*tensor.Set
	sizes []int // ascending

	extremes []extreme      // none if no float may be replaced
	outputs  map[string]int // batch axis of each output
	// alone contains the expected result of each row of the pool: for Batch, its result in the
	// smallest batch, and for Order, its result in the original order.
	alone map[*tensor.Set]reference
}

// batcher opens the engine for the batch sizes.
func (c *checker) batcher(wanted []int) (b *batcher, err error) {
	b = &batcher{checker: c, alone: map[*tensor.Set]reference{}}
	if b.pool, err = pool(c.sets, c.axes.inputs); err != nil {
		return nil, err
	}
	if b.sizes, err = c.sizes(wanted); err != nil {
		return nil, err
	}
	return b, b.openSizes(b.sizes...)
}

// openSizes opens the engine for batches of the given sizes.
func (b *batcher) openSizes(sizes ...int) error {
	var sets []*tensor.Set
	for _, n := range sizes {
		set, err := joinRows(b.axes.inputs, b.cycled(n))
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	return b.open(sets...)
}

// sizes returns the batch sizes to run, in ascending order. They are Options.Sizes or, if that is
// empty, the wanted sizes, the size of the subject's batch, and the smallest, optimal and largest
// sizes of the engine's profile. Sizes outside the profile are left out.
func (c *checker) sizes(wanted []int) ([]int, error) {
	list := slices.Clone(c.options.Sizes)
	if len(list) == 0 {
		list = append(slices.Clone(wanted), countOf(c.sets[0], c.axes.inputs))
		p, err := c.profile()
		if err != nil {
			return nil, err
		}
		for name, axis := range c.axes.inputs {
			lowest, highest := p.Min[name], p.Max[name]
			if axis >= len(lowest) {
				continue
			}
			list = append(list, lowest[axis], p.Opt[name][axis], highest[axis])
			list = slices.DeleteFunc(list, func(n int) bool {
				return n < lowest[axis] || n > highest[axis]
			})
		}
		list = slices.DeleteFunc(list, func(n int) bool { return n < 1 })
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 0 || list[len(list)-1] < 2 {
		return nil, fmt.Errorf("the engine's profile allows only batches of %v, but this check needs "+
			"batches of 2 or more; build the engine for larger batches", list)
	}
	return list, nil
}

// cycled returns n rows: the rows of b.pool, repeated in order.
func (b *batcher) cycled(n int) []*tensor.Set {
	rows := make([]*tensor.Set, n)
	for i := range rows {
		rows[i] = b.pool[i%len(b.pool)]
	}
	return rows
}

// runRows runs the rows as one batch.
func (b *batcher) runRows(rows []*tensor.Set) (reference, error) {
	set, err := joinRows(b.axes.inputs, rows)
	if err != nil {
		return reference{}, err
	}
	of, err := b.run(set)
	if err != nil {
		return reference{}, fmt.Errorf("a batch of %d: %w; the assumed batch axis is %v; if it is wrong"+
			", %s", len(rows), err, b.axes, remedy)
	}
	return of, nil
}

// row returns a reference that consists of one row of a run.
func (b *batcher) row(of reference, at int) (reference, error) {
	outputs, err := rowOf(of.outputs, b.outputs, at, false)
	if err != nil {
		return reference{}, err
	}
	r := reference{run: of.run, outputs: outputs, rows: map[string]row{}}
	for name, axis := range b.outputs {
		r.rows[name] = row{axis, at}
	}
	return r, nil
}

// learn finds the batch axes of the outputs by comparing runs of two batch sizes. It also makes a
// row of NaN and a row of huge values, which must not change the results of other rows.
func (b *batcher) learn() error {
	n, m := b.sizes[0], b.sizes[0]-1
	if len(b.sizes) > 1 {
		m = b.sizes[1]
	}
	first, err := b.runRows(b.cycled(n))
	if err != nil {
		return err
	}
	second, err := b.runRows(b.cycled(m))
	if err != nil {
		return err
	}
	var whole []string
	b.outputs, whole = b.axes.outputAxes(b.subject.Model, first.outputs, second.outputs, n, m)
	if len(b.outputs) == 0 {
		return fmt.Errorf("no output has a batch axis: one run had %d rows along %v, another had "+
			"%d, but no axis of %s has these two lengths; %s", n, b.axes, m, strings.Join(whole, ", "),
			remedy)
	}
	if len(whole) > 0 {
		b.note("not compared, because they have no batch axis: %s", strings.Join(whole, ", "))
	}
	return b.addExtremes()
}

func (c *checker) batch() error {
	b, err := c.batcher(sizes)
	if err != nil {
		return err
	}
	if len(b.sizes) < 2 {
		return fmt.Errorf("the engine's profile allows only batches of %v, but a comparison needs two "+
			"sizes; build the engine for a range of batch sizes", b.sizes)
	}
	b.note("tried batches of %s rows along %v", sizesText(b.sizes), b.axes)
	if err := b.learn(); err != nil {
		return err
	}
	for i, row := range b.pool {
		of, err := b.runRows(slices.Repeat(b.pool[i:i+1], b.sizes[0]))
		if err != nil {
			return err
		}
		if b.alone[row], err = b.row(of, 0); err != nil {
			return err
		}
	}
	for _, n := range b.sizes {
		for _, a := range b.arrangements(n) {
			if _, err := b.compareRows(a, b.expected(a), func(x *Breach) { b.blame(x, a) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizesText formats sizes as "1, 2, 3".
func sizesText(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}
