package runfile

import (
	"bytes"

	"github.com/modelparity/modelparity/tensor"
)

// Unpack is how many elements a blob of that many bytes unpacked has.
func Unpack(data []byte, raw int64) (int, error) {
	array, err := unzipped(bytes.NewReader(data), raw)
	if err != nil {
		return 0, err
	}
	return array.Shape().Elements()
}

// DescribeBoth is what a head says of a tensor with either checksum.
func DescribeBoth(t *tensor.Tensor) (tree, plain map[string]any) {
	tree, plain, err := plainOf(describeTree("y", t), describePlain("y", t))
	if err != nil {
		panic(err)
	}
	return tree, plain
}

var plainOf = plain
