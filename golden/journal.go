package golden

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Parallel processes of one test run must not overwrite each other's golden files. They share a
// journal of the outputs that each process wants in golden files. Before a process writes a golden
// file, it appends one line with its record to the journal. It holds a lock until the golden file
// is written; the operating system releases the lock if the process ends. Readers ignore incomplete
// lines.

// journalFolder returns the journal's folder. It is a variable so that specs can replace it.
var journalFolder = folderOfRun

// alone holds the records, without a journal, if this is the only process of the test run.
var alone struct {
	sync.Mutex
	records []record
}

// folderOfRun returns the folder shared by the processes of this test run, or "" if this process is
// the only one.
//
// Under `go test` it is the go command's work folder, which that command deletes when it ends; all
// packages tested by one command share it, because they may share golden files through symbolic
// links. Under `ginkgo -p` it is a folder named after the server that Ginkgo's processes connect
// to.
func folderOfRun() string {
	if host := flag.Lookup("ginkgo.parallel.host"); host != nil && host.Value.String() != "" {
		where, _ := os.Getwd()
		sum := sha256.Sum256(fmt.Appendf(nil, "%v %d %s", host.Value, os.Getppid(), where))
		return filepath.Join(os.TempDir(), fmt.Sprintf("%s%x", journalPrefix, sum[:8]))
	}
	binary, err := os.Executable()
	if err != nil {
		return ""
	}
	work := filepath.Dir(filepath.Dir(binary)) // …/go-build123/b001/digits.test
	if strings.HasPrefix(filepath.Base(work), "go-build") {
		return filepath.Join(work, journalPrefix+"journal")
	}
	return ""
}

const (
	journalPrefix = "modelparity-golden-"
	journalName   = "records"
)

// journaled calls check with all records of this test run. If check returns nil, journaled appends
// the record r to the journal and then calls update. It holds the journal's lock throughout.
func journaled(check func(all []record) error, r record, update func() error) error {
	alone.Lock()
	defer alone.Unlock()
	folder := journalFolder()
	if folder == "" {
		if err := check(alone.records); err != nil {
			return err
		}
		alone.records = append(alone.records, r)
		return update()
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("%s was not written: the journal shared by this run's test processes "+
			"cannot be used: %w", r.Path, err)
	}
	return filelock.With(context.Background(), filepath.Join(folder, "lock"), func() error {
		data, err := regular.Read(filepath.Join(folder, journalName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := check(records(data)); err != nil {
			return err
		}
		if err := appendRecord(filepath.Join(folder, journalName), data, r); err != nil {
			return fmt.Errorf("%s was not written: %w", r.Path, err)
		}
		return update()
	})
}

// recorded returns all records of this test run, or nil if the journal cannot be read.
func recorded() []record {
	folder := journalFolder()
	if folder == "" {
		alone.Lock()
		defer alone.Unlock()
		return slices.Clone(alone.records)
	}
	data, err := regular.Read(filepath.Join(folder, journalName))
	if err != nil {
		return nil // checked again under the lock before anything is written
	}
	return records(data)
}

func records(data []byte) (all []record) {
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) == nil && bytes.HasSuffix(line, []byte("\n")) {
			all = append(all, r)
		}
	}
	return all
}

// appendRecord adds a line to the journal, whose current content is data.
func appendRecord(path string, data []byte, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		line = append([]byte{'\n'}, line...) // a killed process left an incomplete line
	}
	return wholefile.Append(path, append(line, '\n'))
}
