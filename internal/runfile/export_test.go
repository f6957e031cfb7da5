package runfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"strings"

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

// ReadOwnHead reads the text of a head with a run's note and an output's least value, changed, and
// reports whether it was taken for one that we write.
func ReadOwnHead(note, least string, change func(text string) string) (ours bool, err error) {
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
		return false, err
	}
	read, err := decodeHead([]byte(change(string(text))))
	return err == nil && read.ours, err
}

// Unstored is the data in a blob that was stored, after a header of so many bytes; nil in another.
func Unstored(text []byte, header int) []byte {
	stored := len(text) - len(gzipHeader) - storedTail
	raw := stored - storedHead*((stored+storedHead+storedBlock-1)/(storedHead+storedBlock))
	head, data := make([]byte, header), make([]byte, max(0, raw-header))
	if storedSize(int64(raw)) != int64(len(text)) ||
		!unstored(context.Background(), bytes.NewReader(text), head, data) {
		return nil
	}
	return data
}

// InMemory is how much of a file of so many bytes is in memory, if more than usual.
func InMemory(text string, size int64) int { return inMemory(strings.NewReader(text), size) }

var plainOf = plain

// Stored is a tensor's data as it is packed if that does not pay.
func Stored(path string, t *tensor.Tensor) ([]byte, error) {
	if _, err := Pack(path, t, gzip.NoCompression); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
