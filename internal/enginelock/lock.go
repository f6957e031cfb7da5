// Package enginelock reads and writes modelparity.lock, which lists the engines that a module's
// specs run on, with versions and checksums. `modelparity setup` writes the file next to go.mod,
// every run reads it, and users commit it.
//
// It does for engines what go.sum does for modules. A suite runs on the locked engine or not at
// all, and upgrading modelparity does not change the engine until `setup --upgrade` does. Every
// test process reads the file, which is in the module. Therefore `go test` does not report
// "(cached)" after an engine upgrade, as it would if only a library outside the module had changed.
//
// Without a lock file, specs run on the catalogue's release if setup fetched it, and otherwise on
// an engine installed on the machine.
package enginelock

import (
	"bytes"
	"context"
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
	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Name is the file name of a lock file.
const Name = "modelparity.lock"

// Variable is the environment variable with the path of the lock file to use, for test binaries
// that run outside their module. The value "off" means no lock file.
const Variable = "MODELPARITY_LOCK"

// format is the version of the file format.
const format = 1

// Lock is the contents of modelparity.lock.
type Lock struct {
	Format  int     `json:"modelparity"`
	Engines []Entry `json:"engines"`
}

// Entry is an engine in a lock file.
type Entry struct {
	engines.Engine
	// Accepted lists libraries that are allowed although no wheel of the release contains them, such
	// as a build for GPUs or the user's own build.
	Accepted []Accepted `json:"accepted,omitempty"`
}

// Accepted is a library that the user accepted for one platform.
type Accepted struct {
	Platform string `json:"platform"`
	File     string `json:"file"` // base name, for people who read the file
	SHA256   string `json:"sha256"`
}

// maxSize limits the size of a lock file, in bytes. Even a file with every engine and platform is
// smaller.
const maxSize = 4 << 20

// Read reads a lock file and checks each entry, because the values become parts of paths and
// command lines.
func Read(path string) (Lock, error) {
	file, err := regular.Open(path)
	if err != nil {
		return Lock{}, err
	}
	defer file.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w", path, err)
	}
	lock, err := decode(data)
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w; remove the file and run `%s setup` to create it again",
			path, err, engines.Command())
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
		return Lock{}, fmt.Errorf("invalid lock file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Lock{}, errors.New("invalid lock file: trailing data")
	}
	if lock.Format != format {
		return Lock{}, fmt.Errorf("the lock file has format %d, but this version of modelparity "+
			"reads format %d", lock.Format, format)
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
		return fmt.Errorf("%q is not an engine's name", e.Name)
	}
	for _, a := range e.Accepted {
		if len(a.SHA256) != 64 || strings.Trim(a.SHA256, "0123456789abcdef") != "" {
			return fmt.Errorf("%s: %q is not a sha256", e.Name, a.SHA256)
		}
	}
	return e.Valid()
}

// Write writes the lock file atomically. It does nothing if the file already has that content, and
// reports whether the file changed.
func (l Lock) Write(path string) (changed bool, err error) {
	l.Format = format
	l.Engines = slices.Clone(l.Engines)
	slices.SortFunc(l.Engines, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return false, err
	}
	return wholefile.Update(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// Load is like [Read], but returns an empty lock if the file does not exist.
func Load(path string) (Lock, error) {
	lock, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	return lock, err
}

// Edit changes the lock file at path, creates it if needed, and reports whether it changed. Only
// one process edits at a time, so no change is lost. For this, Edit locks a separate file in the
// cache folder. If that file were next to modelparity.lock, users would have to add it to
// .gitignore.
func Edit(path string, change func(*Lock) error) (changed bool, err error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		folder = os.TempDir()
	}
	folder = filepath.Join(folder, "modelparity")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return false, err
	}
	err = filelock.With(context.Background(), filepath.Join(folder, "setup.lock"), func() error {
		lock, err := Load(path)
		if err == nil {
			err = change(&lock)
		}
		if err == nil {
			changed, err = lock.Write(path)
		}
		return err
	})
	return changed, err
}

// Entry returns the entry of the named engine.
func (l Lock) Entry(name string) (Entry, bool) {
	i := slices.IndexFunc(l.Engines, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return l.Engines[i], true
}

// Set adds an entry, or replaces the entry with the same name.
func (l *Lock) Set(entry Entry) {
	l.Engines = slices.DeleteFunc(slices.Clone(l.Engines),
		func(e Entry) bool { return e.Name == entry.Name })
	l.Engines = append(l.Engines, entry)
}

// Accept adds a library to those that are allowed for the engine. If the engine has no entry in the
// lock file, Accept adds one.
func (l *Lock) Accept(engine engines.Engine, library Accepted) {
	entry, ok := l.Entry(engine.Name)
	if !ok {
		entry = Entry{Engine: engine}
	}
	if !slices.Contains(entry.Accepted, library) {
		entry.Accepted = append(slices.Clone(entry.Accepted), library)
	}
	l.Set(entry)
}
