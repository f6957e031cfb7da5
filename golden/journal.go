package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/regular"
)

// The processes of one run of the tests tell each other what they want of golden files by a journal
// that they all append to: one record a line, under a lock that ends with its holder. A line that a
// process did not finish does not count. A record is written before its file.

// journalFolder is [folderOfRun], but for specs.
var journalFolder = folderOfRun

// folderOfRun is where the processes of this run meet; "" where this process is alone.
//
// Under `go test` it is the go command's own work folder, which goes when the command ends: the
// packages of one command may share golden files through links. Under `ginkgo -p` it is a folder
// named after the server that Ginkgo's processes talk to.
func folderOfRun() string {
	if host := flagText("ginkgo.parallel.host"); host != "" {
		where, _ := os.Getwd()
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", host, os.Getppid(), where))
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

// flagText is the text of a flag, "" where it is not defined.
func flagText(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// journaled judges, by what others recorded, whether mine may be recorded, records it, and does
// what was recorded, while no other process does the same.
func journaled(judge func(others []record) error, mine record, do func() error) error {
	folder := journalFolder()
	if folder == "" {
		if err := judge(nil); err != nil {
			return err
		}
		return do()
	}
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		removeStale(folder)
		err = filelock.With(filepath.Join(folder, "lock"), func() error {
			data, err := regular.Read(filepath.Join(folder, journalName))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err := judge(records(data)); err != nil {
				return &decided{err}
			}
			if err := appendRecord(filepath.Join(folder, journalName), data, mine); err != nil {
				return err
			}
			if err := do(); err != nil {
				return &decided{err}
			}
			return nil
		})
	}
	if said := new(decided); errors.As(err, &said) {
		return said.error
	}
	if err != nil {
		return fmt.Errorf("%s is not written, because the processes of this run cannot tell each other "+
			"what they write: %w", mine.Path, err)
	}
	return nil
}

// decided is an error that is not the journal's.
type decided struct{ error }

// others is what the processes beside this one recorded, as far as it can be read.
func others() []record {
	folder := journalFolder()
	if folder == "" {
		return nil
	}
	data, err := regular.Read(filepath.Join(folder, journalName))
	if err != nil {
		return nil // it is asked for again, under the lock, before anything is written
	}
	return records(data)
}

// records reads a journal.
func records(data []byte) (all []record) {
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) == nil && bytes.HasSuffix(line, []byte("\n")) {
			all = append(all, r)
		}
	}
	return all
}

// appendRecord adds a line to the journal that holds data.
func appendRecord(path string, data []byte, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		line = append([]byte{'\n'}, line...) // a killed process left half a line
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// removeStale removes the journals of runs that ended long ago. Failing to is not an error.
func removeStale(folder string) {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), journalPrefix+"*"))
	for _, other := range all {
		if info, err := os.Lstat(other); err == nil && info.IsDir() && other != folder &&
			time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(other)
		}
	}
}
