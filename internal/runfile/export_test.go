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
	return plainOf(describeTree("y", t)), plainOf(describePlain("y", t))
}

func plainOf(o Output) map[string]any {
	of, err := plain(o)
	if err != nil {
		panic(err)
	}
	return of
}
