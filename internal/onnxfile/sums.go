package onnxfile

import (
	"hash"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/filestate"
)

// settled is for how long a file must have been left alone before its checksum is kept.
var settled = filestate.Quiet

// mostSums is how many checksums are kept, of the files that were read last.
const mostSums = 64

// sums are the checksums of files that this process has read, so that a suite whose specs name the
// same file is not kept waiting for each of them.
var sums struct {
	sync.Mutex
	of    map[filestate.State]hash.Hash
	order []filestate.State
}

// unchanged is the state of a file that is still as it was before it was read.
func unchanged(path string, first fs.FileInfo) (filestate.State, bool) {
	before, ok := filestate.Of(first)
	if !ok {
		return before, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return before, false
	}
	now, ok := filestate.Of(info)
	return before, ok && now == before
}

// knownSum is the hash of the bytes that were read of a file after first was known of it, if they
// were hashed before, or nil.
func knownSum(path string, first fs.FileInfo) hash.Hash {
	id, ok := unchanged(path, first)
	if !ok {
		return nil
	}
	sums.Lock()
	defer sums.Unlock()
	return sums.of[id]
}

// keepSum keeps that hash, unless the file was written so short a time before it was read that
// nobody could tell it from one that is written again.
func keepSum(path string, first fs.FileInfo, read time.Time, sum hash.Hash) {
	id, ok := unchanged(path, first)
	if !ok || !id.LeftAlone(settled, read) {
		return
	}
	sums.Lock()
	defer sums.Unlock()
	if sums.of == nil {
		sums.of = map[filestate.State]hash.Hash{}
	}
	if _, has := sums.of[id]; !has {
		sums.order = append(sums.order, id)
	}
	sums.of[id] = sum
	if len(sums.order) > mostSums {
		delete(sums.of, sums.order[0])
		sums.order = sums.order[1:]
	}
}
