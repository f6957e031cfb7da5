package relations

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

func (c *checker) rows() error {
	b, err := c.batcher(rowSizes)
	if err != nil {
		return err
	}
	b.sizes = slices.DeleteFunc(b.sizes, func(n int) bool { return n < 2 })
	b.note("the batch is %v, with %s", b.axes, sizesText(b.sizes))
	if err := b.learn(); err != nil {
		return err
	}
	for _, n := range b.sizes {
		base, err := b.runRows(b.cycled(n, 0))
		if err != nil {
			return err
		}
		for _, at := range slices.Compact([]int{0, n / 2, n - 1}) {
			if err := b.alter(base, n, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// alter changes all rows except one and compares that row with its previous result.
func (b *batcher) alter(base reference, n, at int) error {
	own, err := b.row(base, at)
	if err != nil {
		return err
	}
	for _, by := range []string{"", withNaN, withHuge} {
		rows, err := b.altered(b.cycled(n, 0), at, by)
		if rows == nil {
			if err != nil {
				return err
			}
			continue
		}
		how := "its neighbours have other values"
		if by != "" {
			how = "its neighbours have " + by
		}
		of, err := b.runRows(rows)
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		d, err := b.differs(of, at, own)
		if err != nil {
			return err
		}
		if d != nil {
			breach := b.breach(d, n, at, how)
			breach.Blame = "the values of its neighbours change its result"
			b.locateRows(breach, rows)
			return b.breaks(breach)
		}
	}
	return nil
}

// altered replaces all rows except one with other rows of the pool or, if values is not "", with
// rows of these values: NaN or huge ones. It returns nil if there is no float input to replace.
func (b *batcher) altered(rows []*tensor.Set, at int, values string) ([]*tensor.Set, error) {
	changed := slices.Clone(rows)
	for i := range changed {
		if i == at {
			continue
		}
		changed[i] = b.pool[(i+1)%len(b.pool)]
		if values == "" {
			continue
		}
		poison, err := b.poisoned(rows[i], values)
		if poison == nil {
			return nil, err
		}
		changed[i] = poison
	}
	return changed, nil
}
