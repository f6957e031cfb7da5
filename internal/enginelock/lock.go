// Package enginelock is modelparity.lock: the engines that the specs of a module run on, with their
// versions and sums. `modelparity setup` writes it beside go.mod, every run reads it, and it is to
// be committed.
//
// It does for engines what go.sum does for modules. A suite runs on the engine that the lock names
// or not at all; upgrading modelparity does not change the engine until `setup --upgrade` does; and
// because the lock lies in the module and is read by every test process, `go test` does not answer
// "(cached)" after an upgrade, which no library outside the module could make it notice.
//
// Without a lock an engine is the catalogue's where setup fetched it, or whatever the machine has.
package enginelock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Name is the lock's file name.
const Name = "modelparity.lock"

// Variable names the environment variable that holds the path of another lock, for a test binary
// that runs outside its module, or "off" for none.
const Variable = "MODELPARITY_LOCK"

// format is the version of what a lock holds.
const format = 1

// Lock is what modelparity.lock holds.
type Lock struct {
	Format  int     `json:"modelparity"`
	Engines []Entry `json:"engines"`
}

// Entry is a locked engine.
type Entry struct {
	engines.Engine
	// Accepted are libraries that may be run as well, though no wheel of the release holds them: a
	// build for GPUs, one of the user's own.
	Accepted []Accepted `json:"accepted,omitempty"`
}

// Accepted is a library that the user accepted, for one platform.
type Accepted struct {
	Platform string `json:"platform"`
	File     string `json:"file"` // its base name, for the reader
	SHA256   string `json:"sha256"`
}

// maxSize is more than a lock of every engine and platform takes.
const maxSize = 4 << 20

// Read reads a lock. Each entry is checked: what it says becomes part of paths and command lines.
func Read(path string) (Lock, error) {
	file, err := os.Open(path)
	if err != nil {
		return Lock{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w", path, err)
	}
	lock, err := decode(data)
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w; `modelparity setup` writes it anew once it is removed",
			path, err)
	}
	return lock, nil
}

func decode(data []byte) (Lock, error) {
	if len(data) > maxSize {
		return Lock{}, fmt.Errorf("larger than %d MiB", maxSize>>20)
	}
	var lock Lock
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&lock); err != nil {
		return Lock{}, fmt.Errorf("not a lock of engines: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Lock{}, errors.New("not a lock of engines: more follows its end")
	}
	if lock.Format != format {
		return Lock{}, fmt.Errorf("written in format %d, and this modelparity reads format %d",
			lock.Format, format)
	}
	for i, entry := range lock.Engines {
		if err := entry.check(); err != nil {
			return Lock{}, err
		}
		if slices.ContainsFunc(lock.Engines[:i], func(e Entry) bool { return e.Name == entry.Name }) {
			return Lock{}, fmt.Errorf("two entries for %s", entry.Name)
		}
	}
	return lock, nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9_]+$`)

func (e Entry) check() error {
	if !nameForm.MatchString(e.Name) {
		return fmt.Errorf("%q is not the name of an engine", e.Name)
	}
	for _, a := range e.Accepted {
		if len(a.SHA256) != 64 || strings.Trim(a.SHA256, "0123456789abcdef") != "" {
			return fmt.Errorf("%s: %q is not a sha256", e.Name, a.SHA256)
		}
	}
	return e.Valid()
}

// Write writes a lock, whole or not at all, unless it stands there already.
func (l Lock) Write(path string) error {
	l.Format = format
	slices.SortFunc(l.Engines, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	_, err = wholefile.Update(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
	return err
}

// Entry is the one of an engine.
func (l Lock) Entry(name string) (Entry, bool) {
	i := slices.IndexFunc(l.Engines, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return l.Engines[i], true
}

// Set adds an entry, in place of the one of the same name.
func (l *Lock) Set(entry Entry) {
	l.Engines = slices.DeleteFunc(slices.Clone(l.Engines),
		func(e Entry) bool { return e.Name == entry.Name })
	l.Engines = append(l.Engines, entry)
}

// start is the folder that the process began in, which is the package's own for a test: a spec that
// changes the working folder does not leave its lock behind.
var start, errStart = os.Getwd()

// Place is the path of the lock of this process, whether there is one or not: what [Variable]
// names, or the nearest one upwards, or the place for it beside the nearest go.mod. It is ""
// outside any module, and where the variable says "off".
func Place() (string, error) {
	if named := os.Getenv(Variable); named == "off" {
		return "", nil
	} else if named != "" {
		return filepath.Abs(named)
	}
	if errStart != nil {
		return "", errStart
	}
	return upwards(start), nil
}

// upwards looks for a lock, or for the go.mod that it would lie beside. Both are looked for by
// calls that `go test` takes note of.
func upwards(folder string) string {
	for {
		lock := filepath.Join(folder, Name)
		if _, err := os.Stat(lock); err == nil {
			return lock
		}
		if info, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil && !info.IsDir() {
			return lock
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// Here reads the lock of this process. It is empty, and path may be "", where there is none; a lock
// that the variable names must exist.
func Here() (lock Lock, path string, err error) {
	path, err = Place()
	if err != nil || path == "" {
		return Lock{}, "", err
	}
	lock, err = Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv(Variable) != "" {
			return Lock{}, path, fmt.Errorf("%s: %w; `modelparity setup` writes it", Variable, err)
		}
		return Lock{}, path, nil
	}
	return lock, path, err
}
