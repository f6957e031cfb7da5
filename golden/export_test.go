package golden

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/runfile"
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
	runfile.TakeUses()
	alone.records = nil
}

// SumOf is the checksum of a head that was decoded.
func SumOf(content any) string {
	text, _ := json.Marshal(content)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// AcceptNow writes what was reviewed before.
func AcceptNow(p Proposal) error { return p.accept() }

// Update prepares an update in the mode that the user requested, and commits it.
func Update(path string, run *backends.Run, o Options) (Change, error) {
	mode, err := Updating()
	if err != nil {
		return Change{Path: path, Kind: Untouched}, err
	}
	p, err := Prepare(mode, path, run, o)
	if err != nil {
		return Change{Path: path, Kind: Untouched}, err
	}
	return p.Commit()
}

// Read reads a golden file that holds all elements.
func Read(ctx context.Context, path string) (*backends.Run, error) {
	reference, err := ReadReference(ctx, path)
	if err == nil {
		err = reference.head.HoldsAll()
	}
	if err != nil {
		return nil, err
	}
	return reference.Run, nil
}
