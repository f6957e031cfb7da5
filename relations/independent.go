package relations

import (
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

func (c *checker) rows() error {
	b, err := c.batcher(rowSizes)
	if err != nil {
		return err
	}
	b.sizes = slices.DeleteFunc(b.sizes, func(n int) bool { return n < 2 })
	b.note("tried batches of %s rows along %v", sizesText(b.sizes), b.axes)
	if err := b.learn(); err != nil {
		return err
	}
	for _, n := range b.sizes {
		base, err := b.runRows(b.cycled(n))
		if err != nil {
			return err
		}
		for _, at := range slices.Compact([]int{0, n / 2, n - 1}) {
			expected := make([]reference, n)
			if expected[at], err = b.row(base, at); err != nil {
				return err
			}
			for _, a := range b.neighbours(n, at) {
				if _, err := b.compareRows(a, expected, func(x *Breach) {
					x.Blame = "the values of the other rows change its result"
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// neighbours lists arrangements of n rows. Compared with [batcher.cycled], they keep the row at one
// position and change all other rows.
func (b *batcher) neighbours(n, at int) []arrangement {
	others := b.cycled(n + 1)[1:]
	for i := range others {
		// Among copies of itself, a row may give the same result as alone, and then no node parts them.
		if (i+1-at)%len(b.pool) == 0 && len(b.pool) > 2 {
			others[i] = b.pool[(i+2)%len(b.pool)]
		}
	}
	list := []arrangement{{"its neighbours have other values", others}}
	for _, e := range b.extremes {
		list = append(list, arrangement{"its neighbours have " + e.of,
			slices.Repeat([]*tensor.Set{e.row}, n)})
	}
	for _, a := range list {
		a.rows[at] = b.pool[at%len(b.pool)]
	}
	return list
}
