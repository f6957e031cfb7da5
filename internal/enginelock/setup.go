package enginelock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
)

// Setup says which engines to fetch and to record in the lock file.
type Setup struct {
	// Names lists engines in the catalogue. If the user asks for nothing in particular (Names,
	// Releases and Accept are empty), or for an upgrade without Names, Run fetches the locked
	// engines, or ONNX Runtime if no engine is locked.
	Names []string
	// Releases lists other known releases to fetch, each as ENGINE=VERSION.
	Releases []string
	// Upgrade replaces the versions of the locked engines with those in this release's catalogue.
	Upgrade bool
	// Accept lists additional libraries to allow, each as ENGINE=PATH.
	Accept []string
	// Python is the interpreter that runs pip; "" means python3.
	Python string
}

// Run fetches the engines and records them in the lock file. If [Place] returns no path, Run only
// fetches the engines. Run prints results to stdout and progress to log. Run's error lists all
// failures.
func (s Setup) Run(ctx context.Context, stdout, log io.Writer) error {
	place, err := Place()
	if err != nil {
		return err
	}
	var lock Lock
	if place != "" {
		if lock, err = Load(place); err != nil {
			return err
		}
	}
	if len(lock.Engines)+len(s.Accept) == 0 && os.Getenv(Variable) == "" && Own(place) {
		place = ""
	}
	var fetched []Entry
	var failures []error
	for _, wanted := range append(slices.Clone(s.Releases), s.selected(lock)...) {
		entry, err := s.fetch(ctx, wanted, lock, place, stdout, log)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fetched = append(fetched, entry)
	}
	accepted, err := s.accepted()
	if err != nil {
		failures = append(failures, err)
	}
	if place == "" {
		if len(accepted) > 0 {
			failures = append(failures, errors.New("--accept writes to "+Name+
				", which needs a Go module: run setup in a module's folder"))
		}
		return errors.Join(failures...)
	}
	changed, err := Edit(place, func(lock *Lock) error {
		for _, entry := range fetched {
			lock.Set(entry)
		}
		for _, a := range accepted {
			lock.Accept(a.Engine, a.Accepted[0])
		}
		return nil
	})
	if changed {
		fmt.Fprintf(stdout, "wrote %s; commit it\n", place)
	}
	return errors.Join(append(failures, err)...)
}

// selected returns the names of the engines to fetch.
func (s Setup) selected(lock Lock) []string {
	names := slices.Clone(s.Names)
	if len(names) == 0 && (len(s.Accept)+len(s.Releases) == 0 || s.Upgrade) {
		for _, e := range engines.Catalogue() {
			if _, ok := lock.Entry(e.Name); ok {
				names = append(names, e.Name)
			}
		}
		if len(names) == 0 {
			names = []string{engines.ONNXRuntime.Name}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fetch fetches one engine and returns its entry for the lock file. wanted is ENGINE=VERSION or
// ENGINE. Without a version, fetch takes the locked release, unless Upgrade is set.
func (s Setup) fetch(ctx context.Context, wanted string, lock Lock, place string,
	stdout, log io.Writer) (entry Entry, err error) {
	name, version, isRelease := strings.Cut(wanted, "=")
	catalogue := inCatalogue(name)
	old, locked := lock.Entry(name)
	entry.Engine = catalogue
	switch {
	case !isRelease && slices.Contains(s.Releases, wanted):
		return entry, fmt.Errorf("--release %s: write ENGINE=VERSION", wanted)
	case isRelease && (s.Upgrade || slices.Contains(s.Names, name)):
		return entry, fmt.Errorf("--release %s cannot be combined with --upgrade or with the flag "+
			"of the same engine", wanted)
	case isRelease:
		if entry.Engine, err = engines.Release(name, version); err != nil {
			return entry, fmt.Errorf("--release %s: %w", wanted, err)
		}
	case locked && !s.Upgrade:
		choice, err := lock.Choose(catalogue, place)
		if err != nil {
			return entry, err
		}
		entry.Engine = choice.Engine
	}
	if locked && old.Version == entry.Version {
		entry.Accepted = old.Accepted
	}
	path, err := entry.Fetch(ctx, s.Python, log)
	if err != nil {
		return entry, err
	}
	fmt.Fprintf(stdout, "%s %s: %s\n", catalogue.Title, entry.Version, path)
	if !isRelease && entry.Version != catalogue.Version {
		fmt.Fprintf(stdout, "%s still names %s %s, but this release of modelparity was tested with "+
			"%s; to change to that version, run setup --upgrade\n", place, catalogue.Title, entry.Version,
			catalogue.Version)
	}
	return entry, nil
}

// accepted returns an entry for each library that --accept names.
func (s Setup) accepted() (all []Entry, err error) {
	for _, text := range s.Accept {
		name, path, found := strings.Cut(text, "=")
		engine := inCatalogue(name)
		if !found || engine.Name == "" {
			return nil, fmt.Errorf("--accept %s: write ENGINE=PATH; the engines are %s", text,
				strings.Join(engines.Names(), ", "))
		}
		sum, err := engines.Sum(path)
		if err != nil {
			return nil, fmt.Errorf("--accept %s: %w", text, err)
		}
		all = append(all, Entry{engine, []Accepted{{engines.Platform(), filepath.Base(path), sum}}})
	}
	return all, nil
}

// inCatalogue returns the engine with that name in the catalogue, or the zero value.
func inCatalogue(name string) engines.Engine {
	for _, e := range engines.Catalogue() {
		if e.Name == name {
			return e
		}
	}
	return engines.Engine{}
}
