package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
)

// setupRequest is what `modelparity setup` is asked for.
type setupRequest struct {
	names         []string // engines, by their names in the catalogue
	upgrade, help bool
	accept        []string // ENGINE=PATH
}

// setupFlags are the command's: one for each engine of the catalogue, and what may be done.
func setupFlags() []arguments.Flag[setupRequest] {
	list := []arguments.Flag[setupRequest]{
		{Name: "--help", Also: []string{"-h"}, Apply: func(r *setupRequest, _ []string) error {
			r.help = true
			return nil
		}},
		{Name: "--all", Help: "Every engine below.",
			Apply: func(r *setupRequest, _ []string) error {
				for _, e := range engines.Catalogue() {
					r.names = append(r.names, e.Name)
				}
				return nil
			}},
	}
	for _, e := range engines.Catalogue() {
		list = append(list, arguments.Flag[setupRequest]{Name: "--" + e.Flag,
			Help: fmt.Sprintf("%s %s.", e.Title, e.Version),
			Apply: func(r *setupRequest, _ []string) error {
				r.names = append(r.names, e.Name)
				return nil
			}})
	}
	return append(list,
		arguments.Flag[setupRequest]{Name: "--upgrade",
			Help: "Move the engines that " + enginelock.Name + " names to the versions above. Golden " +
				"files may move with them.",
			Apply: func(r *setupRequest, _ []string) error {
				r.upgrade = true
				return nil
			}},
		arguments.Flag[setupRequest]{Name: "--accept", Arity: arguments.One, Value: "ENGINE=PATH",
			Help: "Let this library be run as well where " + enginelock.Name + " names the engine, such " +
				"as onnxruntime=/opt/onnxruntime-gpu/lib/libonnxruntime.so. Only its sum is written down.",
			Apply: func(r *setupRequest, values []string) error {
				r.accept = append(r.accept, values...)
				return nil
			}})
}

const setupUsage = `Usage: modelparity setup [FLAG ...]

Downloads engines with pip, once, checks them against the sums that this release knows, and keeps
their libraries in the user's cache, where specs and modelparity run find them. Without a flag these
are the engines that the module's modelparity.lock names, or ONNX Runtime where there is none.
MODELPARITY_PYTHON names another Python.

In a module it writes modelparity.lock beside go.mod. Commit it: a suite then runs on the engines
that it names or not at all, on every machine, until setup --upgrade moves it. MODELPARITY_LOCK
names another lock, or "off" for none.

`

// setupCommand is `modelparity setup`: it fetches what specs need that the go command does not, and
// locks it.
func setupCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r setupRequest
	rest, err := arguments.Parse(setupFlags(), args, &r)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown argument %q; setup takes flags only", rest[0])
	}
	if err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	if r.help {
		setupHelp(stdout)
		return equal
	}
	if err := r.run(ctx, stdout, stderr); err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	return equal
}

func setupHelp(to io.Writer) {
	fmt.Fprint(to, setupUsage)
	for _, f := range setupFlags() {
		if f.Help == "" {
			continue
		}
		fmt.Fprintf(to, "  %s\n", f.Usage())
		for _, line := range wrapped(f.Help, helpColumns-8) {
			fmt.Fprintf(to, "        %s\n", line)
		}
	}
}

// run fetches what is asked for and locks what could be fetched.
func (r setupRequest) run(ctx context.Context, stdout, stderr io.Writer) error {
	place, err := enginelock.Place()
	if err != nil {
		return err
	}
	var lock enginelock.Lock
	if place != "" {
		if lock, err = enginelock.Load(place); err != nil {
			return err
		}
	}
	var fetched []enginelock.Entry
	var failures []error
	for _, name := range r.selected(lock) {
		entry, err := r.fetch(ctx, name, lock, place, stdout, stderr)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fetched = append(fetched, entry)
	}
	accepted, err := r.accepted()
	if err != nil {
		failures = append(failures, err)
	}
	if place == "" {
		if len(accepted) > 0 {
			failures = append(failures, errors.New("--accept writes into "+enginelock.Name+
				", and there is none: run setup in a folder of a Go module"))
		}
		return errors.Join(failures...)
	}
	changed, err := enginelock.Edit(place, func(lock *enginelock.Lock) error {
		for _, entry := range fetched {
			lock.Set(entry)
		}
		for _, a := range accepted {
			lock.Accept(a.engine, a.library)
		}
		return nil
	})
	if changed {
		fmt.Fprintf(stdout, "wrote %s; commit it\n", place)
	}
	return errors.Join(append(failures, err)...)
}

// selected are the names of the engines to fetch.
func (r setupRequest) selected(lock enginelock.Lock) []string {
	names := slices.Clone(r.names)
	if len(names) == 0 && (len(r.accept) == 0 || r.upgrade) {
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

// fetch fetches one engine, the locked release unless it is to be upgraded, and gives what the lock
// should say of it.
func (r setupRequest) fetch(ctx context.Context, name string, lock enginelock.Lock, place string,
	stdout, stderr io.Writer) (enginelock.Entry, error) {
	catalogue := inCatalogue(name)
	entry := enginelock.Entry{Engine: catalogue}
	if old, ok := lock.Entry(name); ok && !r.upgrade {
		choice, err := lock.Choose(catalogue, place)
		if err != nil {
			return entry, err
		}
		entry = enginelock.Entry{Engine: choice.Engine, Accepted: old.Accepted}
	} else if ok && old.Version == catalogue.Version {
		entry.Accepted = old.Accepted
	}
	path, err := entry.Fetch(ctx, os.Getenv("MODELPARITY_PYTHON"), stderr)
	if err != nil {
		return entry, err
	}
	fmt.Fprintf(stdout, "%s %s: %s\n", catalogue.Title, entry.Version, path)
	if entry.Version != catalogue.Version {
		fmt.Fprintf(stdout, "%s keeps %s %s; this release of modelparity was tested with %s, and "+
			"setup --upgrade moves to it\n", place, catalogue.Title, entry.Version, catalogue.Version)
	}
	return entry, nil
}

// accepted is a library of --accept.
type accepted struct {
	engine  engines.Engine
	library enginelock.Accepted
}

func (r setupRequest) accepted() ([]accepted, error) {
	var all []accepted
	for _, text := range r.accept {
		name, path, found := strings.Cut(text, "=")
		engine := inCatalogue(name)
		if !found || engine.Name == "" {
			return nil, fmt.Errorf("--accept %s: write ENGINE=PATH, with an engine of %s", text,
				strings.Join(catalogueNames(), ", "))
		}
		sum, err := engines.Sum(path)
		if err != nil {
			return nil, fmt.Errorf("--accept %s: %w", text, err)
		}
		all = append(all, accepted{engine, enginelock.Accepted{Platform: engines.Platform(),
			File: filepath.Base(path), SHA256: sum}})
	}
	return all, nil
}

// inCatalogue is the engine of that name, or one without a name.
func inCatalogue(name string) engines.Engine {
	for _, e := range engines.Catalogue() {
		if e.Name == name {
			return e
		}
	}
	return engines.Engine{}
}

func catalogueNames() (names []string) {
	for _, e := range engines.Catalogue() {
		names = append(names, e.Name)
	}
	return names
}
