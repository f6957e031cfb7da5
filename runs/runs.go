// Package runs reads and writes saved runs, and compares runs with each other, one iteration at a
// time: outputs that do not fit in memory lie in a file until then. Package golden looks after
// golden files.
package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

// Named is one run of a file, under the name that the file gives it: a runner's, in Polygraphy's
// words. Names need not differ.
type Named struct {
	Name string
	Run  *backends.Run
	// Unnamed says that the format has no names for outputs, and that those in Run were made up:
	// see [Named.NamedLike].
	Unnamed bool
}

// ReadRuns reads saved runs, in the order of the file:
//
//	run.json       what Polygraphy, or [WriteRuns], saved; a golden file; a file of saved inputs
//	folder         Polygraphy's directory form, one file per iteration; ONNX's test data
//	x.npz, x.npy, x.pb, x.safetensors
//	               one run of one iteration, as package setfile reads it
//
// One run, or one iteration of it, is picked out of a file by FILE#RUN and FILE#RUN/ITERATION. RUN
// is an index, counted from 0, or a runner's name; -1 is the last. A path that exists as it stands
// is never taken apart.
func ReadRuns(path string) ([]Named, error) {
	file, selection := splitSelection(path)
	runfile.UseFolder(file)
	runs, err := readRuns(file)
	if err != nil {
		return nil, located.In(file, err)
	}
	if len(runs) == 0 {
		err = fmt.Errorf("the file holds no runs")
	} else if selection != "" {
		runs, err = pick(runs, selection)
	}
	if err != nil {
		return nil, located.In(path, err)
	}
	return runs, nil
}

func readRuns(path string) ([]Named, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if files := numbered(path); len(files) > 0 {
			return readNumbered(files)
		}
	}
	if info.Mode().IsRegular() {
		if err := runfile.Leftover(path, nil); err != nil {
			return nil, err
		}
	}
	if strings.EqualFold(filepath.Ext(path), ".json") && !info.IsDir() {
		results, err := hasResults(path)
		if err != nil {
			if left := runfile.Leftover(path, err); left != nil {
				return nil, left
			}
			return nil, err
		}
		if results {
			found, h, err := runfile.ReadFile(context.Background(), path)
			if err == nil && h != nil {
				err = h.HoldsAll()
			}
			runs := make([]Named, len(found))
			for i, r := range found {
				runs[i] = Named{Name: r.Name, Run: r.Run}
			}
			return runs, err
		}
	}
	run := &backends.Run{Provenance: backends.Provenance{Backend: filepath.Base(path)}}
	unnamed := false
	for iteration, err := range setfile.Read(setfile.Options{Role: "output"}, path) {
		if err != nil {
			return nil, err
		}
		unnamed = unnamed || iteration.Unnamed
		run.Append(backends.Iteration{Outputs: iteration.Set, Runtime: -1})
	}
	return []Named{{Name: runfile.NameOf(path), Run: run, Unnamed: unnamed}}, nil
}

// hasResults reports whether a JSON file holds saved outputs rather than saved inputs: an object
// whose first value is a list, a class, or our head. An input could be called lst, but it would be
// an object.
func hasResults(path string) (found bool, err error) {
	return begins(path, func(d *jsonstream.Decoder, key string, kind jsonstream.Kind) (bool, error) {
		return key == "lst" && kind == jsonstream.Array || kind == jsonstream.String ||
			key == polygraphy.HeadKey && kind == jsonstream.Object && !isArray(d), nil
	})
}

// IsAccuracy reports whether a JSON file holds accuracy results: a list of objects, where that of
// saved outputs is one of lists.
func IsAccuracy(path string) (found bool, err error) {
	if !strings.EqualFold(filepath.Ext(path), ".json") {
		return false, nil
	}
	return begins(path, func(d *jsonstream.Decoder, key string, kind jsonstream.Kind) (bool, error) {
		switch {
		case kind == jsonstream.String:
			class, err := d.String()
			return class == "AccuracyResults", err
		case key != "lst" || kind != jsonstream.Array:
			return false, nil
		}
		objects := false
		err := d.Array(func(int) error {
			kind, err := d.Kind()
			if objects = kind == jsonstream.Object; err == nil {
				err = errSeen
			}
			return err
		})
		return objects, err
	})
}

// errSeen ends the reading of a file of which enough was seen.
var errSeen = errors.New("seen enough")

// begins reports what is asked of the first value in a JSON file's object. What follows it may be
// gigabytes. A file that holds no object, or a folder, has none.
func begins(path string, is func(*jsonstream.Decoder, string, jsonstream.Kind) (bool, error)) (
	found bool, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	d := jsonstream.NewDecoder(f)
	if kind, err := d.Kind(); err != nil || kind != jsonstream.Object {
		return false, err
	}
	err = d.Object(func(key string) error {
		kind, err := d.Kind()
		if err == nil {
			found, err = is(d, key, kind)
		}
		if err == nil {
			err = errSeen
		}
		return err
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return found, err
}

// isArray reports whether the next value is an object like {"array": …}, which an input called
// modelparity would be.
func isArray(d *jsonstream.Decoder) bool {
	array := false
	stop := fmt.Errorf("seen enough")
	_ = d.Object(func(key string) error { // what is wrong with it is for the reader to say
		array = key == "array" || key == "values"
		return stop
	})
	return array
}

// numbered lists 0000000000.json, 0000000001.json, … in a folder.
func numbered(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var files []string
	for _, entry := range entries { // sorted by name, so by number
		digits, ok := strings.CutSuffix(entry.Name(), ".json")
		if ok && len(digits) == 10 && strings.Trim(digits, "0123456789") == "" {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files
}

// readNumbered joins the files of a folder by runner name, as Polygraphy does.
func readNumbered(files []string) ([]Named, error) {
	var runs []Named
	for _, file := range files {
		more, err := readRuns(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		runs = continued(runs, more)
	}
	return runs, nil
}

// continued is the runs with the iterations of others behind theirs: the n-th runner of a name
// continues the n-th of that name.
func continued(runs, more []Named) []Named {
	taken := map[int]bool{}
	for _, named := range more {
		i := slices.IndexFunc(runs, func(r Named) bool { return r.Name == named.Name })
		for i >= 0 && taken[i] {
			next := slices.IndexFunc(runs[i+1:], func(r Named) bool { return r.Name == named.Name })
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		if i < 0 {
			i = len(runs)
			runs = append(runs, Named{Name: named.Name, Unnamed: named.Unnamed,
				Run: &backends.Run{Provenance: named.Run.Provenance}})
		}
		taken[i] = true
		runs[i].Run.Append(named.Run.Iterations()...)
	}
	return runs
}

// NamedLike gives the outputs of a run whose format has no names the names of another run's.
// A run that has names of its own is returned as it is; one with another number of outputs is an
// error, because which is which cannot be guessed.
func (n Named) NamedLike(other *backends.Run) (Named, error) {
	if !n.Unnamed || other == nil {
		return n, nil
	}
	run := &backends.Run{Provenance: n.Run.Provenance}
	for i, iteration := range n.Run.Iterations() {
		if i >= len(other.Iterations()) {
			return n, fmt.Errorf("%s has %d iterations, the other run %d: their outputs cannot be matched",
				n.Name, len(n.Run.Iterations()), len(other.Iterations()))
		}
		names := other.Iterations()[i].Outputs.Names()
		if len(names) != iteration.Outputs.Len() {
			return n, fmt.Errorf("%s has %d outputs without names, the other run has %d (%s): which is "+
				"which cannot be told", n.Name, iteration.Outputs.Len(), len(names),
				strings.Join(names, ", "))
		}
		entries := make([]tensor.Entry, len(names))
		for k, name := range names {
			entries[k] = tensor.Entry{Name: name, Tensor: iteration.Outputs.At(k).Tensor}
		}
		set, err := tensor.NewSet(entries...)
		if err != nil {
			return n, err
		}
		run.Append(backends.Iteration{Outputs: set, Runtime: iteration.Runtime})
	}
	return Named{Name: n.Name, Run: run}, nil
}
