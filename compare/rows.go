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

// overRows calls the function add for every row, on several goroutines. Each block of rows has its
// own total; the totals are returned in the order of the rows.
func overRows[T any](count, length int, add func(total *T, row int)) []T {
	each := max(1, block/max(1, length))
	pieces := (count + each - 1) / each
	return overBlocks(pieces*block, func(lo, _ int, _ *scratch) (total T) {
		first := lo / block * each
		for r := first; r < min(first+each, count); r++ {
			add(&total, r)
		}
		return total
	})
}
