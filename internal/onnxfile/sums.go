package onnxfile

import (
	"hash"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/filestate"
)

// settled is how long a file must have been unmodified before its checksum is cached.
var settled = filestate.Quiet

// sums caches the checksums of files that this process has read, because the specs of a suite often
// use the same file.
var sums struct {
	sync.Mutex
	of map[filestate.State]hash.Hash
}

// unchanged returns the state of a file when it was opened, and reports whether the file at path is
// still in that state. opened is the file's information from that time.
func unchanged(path string, opened fs.FileInfo) (filestate.State, bool) {
	before, ok := filestate.Of(opened)
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

// knownSum returns the cached hash of a file, or nil if there is none or if the file has changed
// since it was opened.
func knownSum(path string, opened fs.FileInfo) hash.Hash {
	id, ok := unchanged(path, opened)
	if !ok {
		return nil
	}
	sums.Lock()
	defer sums.Unlock()
	return sums.of[id]
}

// keepSum caches a hash, unless the file was modified shortly before it was read: a second
// modification could then go unnoticed.
func keepSum(path string, opened fs.FileInfo, read time.Time, sum hash.Hash) {
	id, ok := unchanged(path, opened)
	if !ok || !id.LeftAlone(settled, read) {
		return
	}
	sums.Lock()
	defer sums.Unlock()
	if sums.of == nil {
		sums.of = map[filestate.State]hash.Hash{}
	}
	sums.of[id] = sum
}
