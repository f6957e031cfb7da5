package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
