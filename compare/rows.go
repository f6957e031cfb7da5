package compare

import "github.com/modelparity/modelparity/tensor"

// rows returns the number and the length of the rows along the last axis. A 0-d tensor is one row
// of length 1.
func rows(t *tensor.Tensor) (count, length int) {
	length = 1
	if shape := t.Shape(); len(shape) > 0 {
		length = shape[len(shape)-1]
	}
	if length == 0 {
		return 0, 0
	}
	return t.Len() / length, length
}

// overRows combines the values of all rows with fold and counts the bad rows. It does for rows what
// overBlocks does for blocks of elements.
func overRows(count, length, workers int, row func(r int) (value float64, bad bool),
	fold func(a, b float64) float64) (value float64, bad int) {
	type part struct {
		value float64
		bad   int
	}
	each := max(1, block/max(1, length))
	pieces := (count + each - 1) / each
	for _, p := range overBlocks(pieces*block, workers, func(lo, _ int, _ *scratch) (own part) {
		first := lo / block * each
		for r := first; r < min(first+each, count); r++ {
			v, failed := row(r)
			own.value = fold(own.value, v)
			if failed {
				own.bad++
			}
		}
		return own
	}) {
		value = fold(value, p.value)
		bad += p.bad
	}
	return value, bad
}
