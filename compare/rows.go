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
