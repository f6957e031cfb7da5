package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

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
