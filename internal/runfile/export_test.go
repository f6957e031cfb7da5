package runfile

import (
	"bytes"
	"encoding/json"

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
	return plainOf(describe("y", t, true)), plainOf(describe("y", t, false))
}

func plainOf(o Output) map[string]any {
	of, err := plain(o)
	if err != nil {
		panic(err)
	}
	return of
}

// ReadOwnHead reads the text of a head with a run's note and an output's least value, changed.
func ReadOwnHead(note, least string, change func(text string) string) error {
	h := Head{Format: formatVersion, Kind: KindRun, Runs: []RunHead{{Name: "r",
		Iterations: [][]Output{{{Name: "y", Type: tensor.Float32, Shape: tensor.Shape{1}}}}}}}
	if note != "" {
		h.Runs[0].Notes = notes{"x": json.RawMessage(note)}
	}
	if least != "" {
		h.Runs[0].Iterations[0][0].Min = json.RawMessage(least)
	}
	text, err := h.text()
	if err != nil {
		return err
	}
	_, err = decodeHead([]byte(change(string(text))))
	return err
}
