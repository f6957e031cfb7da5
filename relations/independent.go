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
	b.note("the batch is %v; batch sizes: %s", b.axes, sizesText(b.sizes))
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
				err := b.check(a, expected, func(x *Breach, _ []*tensor.Set) {
					x.Blame = "the values of its neighbours change its result"
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// neighbours lists arrangements of n rows in which the row at one position is the same as in
// [batcher.cycled], and all other rows have different values.
func (b *batcher) neighbours(n, at int) []arrangement {
	list := []arrangement{{"its neighbours have other values", make([]int, n), ""},
		{"its neighbours have " + withNaN, make([]int, n), withNaN},
		{"its neighbours have " + withHuge, make([]int, n), withHuge}}
	for k := range list {
		for i := range n {
			switch {
			case i == at:
				list[k].which[i] = i % len(b.pool)
			case k == 0:
				list[k].which[i] = (i + 1) % len(b.pool)
			default:
				list[k].which[i] = -1
			}
		}
	}
	return list
}
