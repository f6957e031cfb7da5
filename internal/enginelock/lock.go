// Package enginelock is modelparity.lock: the engines that the specs of a module run on, with their
// versions and sums. `modelparity setup` writes it beside go.mod, every run reads it, and it is to
// be committed.
//
// It does for engines what go.sum does for modules. A suite runs on the engine that the lock names
// or not at all; upgrading modelparity does not change the engine until `setup --upgrade` does; and
// because the lock lies in the module and is read by every test process, `go test` does not answer
// "(cached)" after an upgrade, which no library outside the module could make it notice.
//
// Without a lock the engine is the catalogue's release if setup fetched it, or whatever the machine
// has.
package enginelock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Name is the lock's file name.
const Name = "modelparity.lock"

// Variable is the environment variable with the path of another lock, for a test binary that runs
// outside its module, or "off" for none.
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
	// Accepted are libraries that may run too although no wheel of the release holds them: a build
	// for GPUs, or the user's own.
	Accepted []Accepted `json:"accepted,omitempty"`
}

// Accepted is a library that the user accepted, for one platform.
type Accepted struct {
	Platform string `json:"platform"`
	File     string `json:"file"` // its base name, for the reader
	SHA256   string `json:"sha256"`
}

// maxSize exceeds a lock of every engine and platform.
const maxSize = 4 << 20

// Read reads a lock. It checks each entry, because its values become part of paths and command
// lines.
func Read(path string) (Lock, error) {
	file, err := regular.Open(path)
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
		return Lock{}, fmt.Errorf("%s: %w; remove it, and `%s setup` writes another", path, err,
			engines.Command())
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
	_, err := l.write(path)
	return err
}

func (l Lock) write(path string) (changed bool, err error) {
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

// Load is [Read], or an empty lock if the file does not exist.
func Load(path string) (Lock, error) {
	lock, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	return lock, err
}

// Edit changes the lock at path, which need not exist, and reports whether it differs. Processes
// edit one at a time, so each sees what the others wrote.
func Edit(path string, change func(*Lock) error) (changed bool, err error) {
	release, err := exclusive()
	if err != nil {
		return false, err
	}
	defer release()
	lock, err := Load(path)
	if err == nil {
		err = change(&lock)
	}
	if err != nil {
		return false, err
	}
	return lock.write(path)
}

// Entry returns an engine's entry.
func (l Lock) Entry(name string) (Entry, bool) {
	i := slices.IndexFunc(l.Engines, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return l.Engines[i], true
}

// Set adds an entry, or replaces the one of the same name.
func (l *Lock) Set(entry Entry) {
	l.Engines = slices.DeleteFunc(slices.Clone(l.Engines),
		func(e Entry) bool { return e.Name == entry.Name })
	l.Engines = append(l.Engines, entry)
}

// Accept adds a library that may run too, and the engine's entry if there is none yet.
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
