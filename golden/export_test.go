package golden

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// MeetIn makes processes meet in that folder, "" in none.
func MeetIn(folder string) { journalFolder = func() string { return folder } }

// FolderOfRun is where they meet unless told otherwise.
var FolderOfRun = folderOfRun

// NextRun makes the process one of the next run of the tests.
func NextRun() {
	next := thisRun() + "+"
	thisRun = func() string { return next }
}

// ForgetAll makes the process as new: no flag given, no file used or written.
func ForgetAll() {
	*updateFlag = modeFlag{}
	uses.paths = nil
	claims.records = nil
}

// Unpack is how many elements a blob of that many bytes unpacked has.
func Unpack(data []byte, raw int64) (int, error) {
	array, err := unzipped(bytes.NewReader(data), raw)
	if err != nil {
		return 0, err
	}
	return array.Shape().Elements()
}

// SumOf is the checksum of a head that was decoded.
func SumOf(content any) string {
	text, _ := json.Marshal(content)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
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

// ReadOwnHead reads the text of a head with a run's note and an output's least value, changed, and
// reports whether it was taken for one that we write.
func ReadOwnHead(note, least string, change func(text string) string) (ours bool, err error) {
	h := head{Format: formatVersion, Kind: kindRun, Runs: []headRun{{Name: "r",
		Iterations: [][]headOutput{{{Name: "y", Type: tensor.Float32, Shape: tensor.Shape{1}}}}}}}
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

// InMemory is how much of a file of so many bytes is in memory, if more than usual.
func InMemory(text string, size int64) int { return inMemory(strings.NewReader(text), size) }

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

// Platform is what the manifest of this test binary is called.
var Platform = platform

// AcceptNow writes what was reviewed before.
func AcceptNow(p Proposal) error { return p.accept() }
