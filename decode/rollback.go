package decode

import (
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// withOtherTokens returns a copy of the batch in which n tokens, beginning at position from, are
// replaced by other tokens of the same sequence, with different ids if possible.
func (b *batch) withOtherTokens(from, n int) *batch {
	c := *b
	c.ids = make([][]int64, len(b.ids))
	for r, row := range b.ids {
		c.ids[r] = slices.Clone(row)
		for i := from; i < from+n; i++ {
			for step := 1; step < len(row) && c.ids[r][i] == row[i]; step++ {
				c.ids[r][i] = row[(i+step)%len(row)]
			}
		}
	}
	return &c
}

// draftInputs returns the inputs of a step that feeds n draft tokens.
func (d *drive) draftInputs(n int) (*tensor.Set, error) {
	other := *d
	other.settings = &settings{Steps: []int{n}, From: d.settings.From, Names: d.settings.Names}
	other.batch = d.batch.withOtherTokens(d.past, n)
	return other.feed()
}
