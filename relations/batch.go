package relations

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Batch requires that a row gives the same result alone and in batches of any size: among copies of
// itself, among other rows, at any position, and next to a row of NaN or huge values. Options.Sizes
// sets the batch sizes. All sizes are compared with the smallest.
func Batch() Relation {
	return Relation{name: "batch", text: "each row of a batch gives the same result as alone",
		check: (*checker).batch, rows: true}
}

// Rows requires that a row of a batch does not depend on the other rows: it must give the same
// result after their values change, even to NaN or huge values. The size of the batch stays the
// same, so Rows, unlike [Batch], does not compare the kernels for different sizes.
func Rows() Relation {
	return Relation{name: "rows", text: "each row of a batch is independent of its neighbours",
		check: (*checker).rows, rows: true}
}

// rowSizes lists the batch sizes for [Rows].
var rowSizes = []int{2, 3, 7}

// batcher checks relations about batches.
type batcher struct {
	*checker
	axes  axes
	bears map[string]int // inputs of axes that may hold NaN and huge values
	pool  []*tensor.Set
	sizes []int // ascending

	integral []string // quoted names of the other inputs of axes: the model makes integers of them

	alone   []reference    // results of each row of the pool alone; only for Batch
	outputs map[string]int // batch axis of each output
}

// batcher finds the batch axes and opens the engine for the batch sizes.
func (c *checker) batcher(wanted []int) (*batcher, error) {
	b := &batcher{checker: c}
	var err error
	if b.axes, err = batchOf(c.subject.Model, c.sets, c.options.Along); err != nil {
		return nil, err
	}
	b.bears = maps.Clone(b.axes.inputs)
	if model, ok := c.subject.Model.(*loaders.Model); ok {
		for name := range reorder.Fixed(model) {
			if _, rowwise := b.bears[name]; rowwise {
				delete(b.bears, name)
				b.integral = append(b.integral, fmt.Sprintf("%q", name))
			}
		}
		slices.Sort(b.integral)
	}
	if b.pool, err = pool(c.sets, b.axes.inputs); err != nil {
		return nil, err
	}
	if b.sizes, err = c.sizes(b.axes.inputs, wanted); err != nil {
		return nil, err
	}
	var open []*tensor.Set
	for _, n := range b.sizes {
		set, err := b.joinRows(b.cycled(n, 0))
		if err != nil {
			return nil, err
		}
		open = append(open, set)
	}
	return b, c.open(open...)
}

// sizes returns the batch sizes to run, in ascending order: the wanted sizes that the engine's
// profile allows, the profile's bounds and optimum, and the subject's own size.
func (c *checker) sizes(axes map[string]int, wanted []int) ([]int, error) {
	list := slices.Clone(c.options.Sizes)
	if len(list) == 0 {
		list = append(slices.Clone(wanted), countOf(c.sets[0], axes))
		var p backends.Profile
		var ok bool
		if profile := backends.CapabilitiesOf(c.subject.Engine).Profile; profile != nil {
			var err error
			if p, ok, err = profile(); err != nil {
				return nil, err
			}
		}
		for name, axis := range axes {
			lowest, highest := p.Min[name], p.Max[name]
			if !ok || axis >= len(lowest) {
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
		return nil, fmt.Errorf("the engine's profile allows only batches of %v, but a neighbour needs "+
			"2 or more; build it for more", list)
	}
	return list, nil
}

// joinRows joins rows into the inputs of one batch.
func (b *batcher) joinRows(rows []*tensor.Set) (*tensor.Set, error) {
	return joinRows(b.axes.inputs, rows)
}

// cycled returns n rows, cycling through the pool from index from.
func (b *batcher) cycled(n, from int) []*tensor.Set {
	rows := make([]*tensor.Set, n)
	for i := range rows {
		rows[i] = b.pool[(i+from)%len(b.pool)]
	}
	return rows
}

// of runs the rows as one batch.
func (b *batcher) of(rows []*tensor.Set) (reference, error) {
	set, err := b.joinRows(rows)
	if err != nil {
		return reference{}, err
	}
	of, err := b.run(set)
	if err != nil {
		return reference{}, fmt.Errorf("a batch of %d: %w%s", len(rows), err, b.unsure())
	}
	return of, nil
}

// unsure returns text to append to an engine's error: the batch may be another axis.
func (b *batcher) unsure() string {
	if len(b.options.Along) > 0 {
		return ""
	}
	return fmt.Sprintf("; the batch is taken to be %v: if it is not, %s", b.axes, remedy)
}

// row returns one row of a run, to compare other runs with.
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

// learn finds the batch axes of the outputs by comparing runs with two batch sizes.
func (b *batcher) learn(small, large reference, n, m int) error {
	var whole []string
	b.outputs, whole = b.axes.outputAxes(b.subject.Model, small.outputs, large.outputs, n, m)
	if len(b.outputs) == 0 {
		return fmt.Errorf("no output has a batch: %s keep their shapes with %d and %d rows along %v; %s",
			strings.Join(whole, ", "), n, m, b.axes, remedy)
	}
	if len(whole) > 0 {
		b.note("not compared, because they have no batch: %s", strings.Join(whole, ", "))
	}
	return nil
}

// batch checks the relation [Batch].
func (c *checker) batch() error {
	b, err := c.batcher(sizes)
	if err != nil {
		return err
	}
	if len(b.sizes) < 2 {
		return fmt.Errorf("the engine's profile allows only batches of %v, but two sizes are needed "+
			"for a comparison", b.sizes)
	}
	b.note("the batch is %v, of %s", b.axes, sizesText(b.sizes))
	least := b.sizes[0]
	var first []reference
	for i := range b.pool {
		r, err := b.of(repeated(b.pool[i], least))
		if err != nil {
			return err
		}
		first = append(first, r)
	}
	next, err := b.of(repeated(b.pool[0], b.sizes[1]))
	if err != nil {
		return err
	}
	if err := b.learn(first[0], next, least, b.sizes[1]); err != nil {
		return err
	}
	for i := range first {
		r, err := b.row(first[i], 0)
		if err != nil {
			return err
		}
		b.alone = append(b.alone, r)
	}
	for _, n := range b.sizes {
		for _, a := range b.arrangements(n) {
			if err := b.arrangement(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizesText formats sizes as "B = 1, 2, 3".
func sizesText(list []int) string {
	return "B = " + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}

func repeated(row *tensor.Set, n int) []*tensor.Set {
	rows := make([]*tensor.Set, n)
	for i := range rows {
		rows[i] = row
	}
	return rows
}

// arrangement says which row of the pool is at each position of a batch; −1 means a poisoned row.
type arrangement struct {
	how    string
	which  []int
	poison string
}

// arrangements lists the arrangements of n rows to run.
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

// fill returns the rows of an arrangement, or nil if there is no float input to poison.
func (b *batcher) fill(a arrangement) ([]*tensor.Set, error) {
	rows := make([]*tensor.Set, len(a.which))
	for i, w := range a.which {
		if w >= 0 {
			rows[i] = b.pool[w]
			continue
		}
		poison, err := b.poisoned(b.pool[0], a.poison)
		if poison == nil {
			return nil, err
		}
		rows[i] = poison
	}
	return rows, nil
}

// noteOnce adds a note unless the result already has it.
func (c *checker) noteOnce(text string) {
	if !slices.Contains(c.result.Notes, text) {
		c.note("%s", text)
	}
}

// arrangement runs a batch and compares every row with the same row run alone.
func (b *batcher) arrangement(a arrangement) error {
	rows, err := b.fill(a)
	if rows == nil {
		return err
	}
	of, err := b.of(rows)
	if err != nil {
		return fmt.Errorf("%s: %w", a.how, err)
	}
	var breach *Breach
	for i, w := range a.which {
		if w < 0 {
			continue
		}
		d, err := b.differs(of, i, b.alone[w])
		if err != nil {
			return err
		}
		switch {
		case d == nil:
		case breach == nil:
			breach = b.breach(d, len(rows), i, a.how)
			breach.Alike = b.alike(d, a.which[i])
		default:
			breach.Wrong = append(breach.Wrong, i)
		}
	}
	if breach == nil {
		return nil
	}
	b.blame(breach, a, rows)
	b.locateRows(breach, rows)
	return b.breaks(breach)
}

// differs compares one row of a run with the result of that row alone.
func (b *batcher) differs(of reference, at int, alone reference) (*difference, error) {
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
	return b.judge.sets(own, alone)
}

// outputsOf returns the batch axes of those outputs that the run has.
func (b *batcher) outputsOf(of reference) map[string]int {
	axes := maps.Clone(b.outputs)
	maps.DeleteFunc(axes, func(name string, _ int) bool { _, ok := of.outputs.Get(name); return !ok })
	return axes
}

// breach describes a difference in a row as a Breach.
func (b *batcher) breach(d *difference, size, at int, how string) *Breach {
	breach := newBreach(d, how)
	breach.Batch, breach.Row, breach.Wrong = size, &at, []int{at}
	return breach
}

// alike says whether a wrong row equals another row's result, as it does if rows are swapped or
// stale.
func (b *batcher) alike(d *difference, own int) string {
	for i, alone := range b.alone {
		t, ok := alone.outputs.Get(d.output)
		if i != own && ok && d.values != nil && t.ElementType() == d.values.ElementType() &&
			t.Shape().Equal(d.values.Shape()) && equal(d.values, t) {
			return "it equals another row's result"
		}
	}
	return ""
}

// mostBlamed is the number of neighbours that blame tries, nearest first.
const mostBlamed = 8

// blame finds out whether a row is wrong by itself or because of its neighbours. If the row is also
// wrong in a batch of copies of itself, the row itself is at fault. Otherwise each neighbour in
// turn is replaced by a copy of the row; if that corrects the row, the neighbour is at fault.
func (b *batcher) blame(breach *Breach, a arrangement, rows []*tensor.Set) {
	at, n := *breach.Row, len(rows)
	switch {
	case n == 1:
		breach.Blame = "the row itself is wrong: it has no neighbour"
		return
	case !slices.ContainsFunc(a.which, func(w int) bool { return w != a.which[at] }):
		breach.Blame = "the row itself is wrong: its neighbours hold the same values"
		if good := n - len(breach.Wrong); good > 0 {
			breach.Blame += fmt.Sprintf(", and %d of %d rows are right", good, n)
		}
		return
	}
	right := func(rows []*tensor.Set) bool {
		of, err := b.of(rows)
		if err != nil {
			return false
		}
		compared := b.judge.compared
		d, err := b.differs(of, at, b.alone[a.which[at]])
		b.judge.compared = compared // the search for the cause does not count
		return d == nil && err == nil
	}
	if !right(repeated(rows[at], n)) {
		breach.Blame = "the row itself is wrong, even in a batch of copies of itself"
		return
	}
	breach.Blame = "its neighbours change it: in a batch of copies of itself it is right"
	var near []int
	for d := 1; d < n && len(near) < mostBlamed; d++ {
		for _, j := range []int{at - d, at + d} {
			if j >= 0 && j < n {
				near = append(near, j)
			}
		}
	}
	for _, j := range near {
		healed := slices.Clone(rows)
		healed[j] = rows[at]
		if right(healed) {
			breach.Blame = fmt.Sprintf("its neighbour, row %d, changes it: with a copy of the row "+
				"there it is right", j)
			return
		}
	}
}
