// Package runs reads and writes saved runs, and compares runs one iteration at a time. Outputs
// that do not fit in memory are kept in a temporary file. For golden files, see package golden.
package runs

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

// Named is one run of a file, together with the run's name. In Polygraphy, this name is the name of
// a runner. Several runs may have the same name.
type Named struct {
	Name string
	Run  *backends.Run
	// Unnamed is true if the file's format has no output names, so that the names in Run are
	// placeholders; see [Named.NamedLike].
	Unnamed bool

	outputs bool // whether the file says that it contains saved outputs, not inputs
}

// ReadRuns reads saved runs, in file order:
//
//	run.json       written by Polygraphy or [WriteRuns]; a golden file; a file of saved inputs
//	folder         Polygraphy's directory form, one file per iteration; ONNX's test data
//	x.npz, x.npy, x.pb, x.safetensors
//	               one run of one iteration, read by package setfile
//
// FILE#RUN selects one run of a file, and FILE#RUN/ITERATION selects one of its iterations. RUN is
// a runner's name or an index counted from 0; -1 is the last run. If a file with the whole name,
// including its #, exists, ReadRuns reads that file.
func ReadRuns(ctx context.Context, path string) ([]Named, error) {
	file, selection := files.Split(path)
	runfile.Use(file)
	runs, err := readRuns(ctx, file)
	if err != nil {
		return nil, located.In(file, err)
	}
	if len(runs) == 0 {
		err = fmt.Errorf("the file has no runs")
	} else if selection != "" {
		runs, err = pick(runs, selection)
	}
	if err != nil {
		return nil, located.In(path, err)
	}
	return runs, nil
}

// ReadOne reads the single run that path selects. If path selects several runs, the error says how
// to select one.
func ReadOne(ctx context.Context, path string) (Named, error) {
	runs, err := ReadAll(ctx, []string{path})
	if err == nil && len(runs) != 1 {
		err = fmt.Errorf("%s has %d runs; select one, for example %[1]s#0", path, len(runs))
	}
	if err != nil {
		return Named{}, err
	}
	return runs[0], nil
}

// ReadAll reads the runs of all files, in order. FILE#RUN selects one run of a file, and
// FILE#RUN/ITERATION selects one of its iterations.
func ReadAll(ctx context.Context, files []string) ([]Named, error) {
	var runs []Named
	for _, file := range files {
		read, err := ReadRuns(ctx, file)
		if err != nil {
			return nil, err
		}
		for _, named := range read {
			if len(read) == 1 {
				named.Name = file
			} else {
				named.Name = file + "#" + named.Name
			}
			runs = append(runs, named)
		}
	}
	return runs, nil
}

func readRuns(ctx context.Context, path string) ([]Named, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if all := setfile.Numbered(path); len(all) > 0 {
			return readNumbered(ctx, all)
		}
	}
	if info.Mode().IsRegular() {
		if err := runfile.Leftover(path, nil); err != nil {
			return nil, err
		}
	}
	if strings.EqualFold(filepath.Ext(path), ".json") && !info.IsDir() {
		results, err := polygraphy.HasResults(path)
		if err != nil {
			return nil, cmp.Or(runfile.Leftover(path, err), err)
		}
		if results {
			found, h, err := runfile.ReadFile(ctx, path)
			if err == nil && h != nil {
				err = h.HoldsAll()
			}
			runs := make([]Named, len(found))
			for i, r := range found {
				runs[i] = Named{Name: r.Name, Run: r.Run, outputs: true}
			}
			return runs, err
		}
	}
	run := &backends.Run{Provenance: backends.Provenance{Backend: filepath.Base(path)}}
	unnamed := false
	for iteration, err := range setfile.Read(setfile.Options{Role: "output"}, path) {
		if err = cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, err
		}
		unnamed = unnamed || iteration.Unnamed
		run.Append(backends.Iteration{Outputs: iteration.Set, Runtime: -1})
	}
	return []Named{{Name: runfile.NameOf(path), Run: run, Unnamed: unnamed}}, nil
}

// readNumbered reads the files of a folder in order. Runs with the same name in several files
// become one run, as in Polygraphy.
func readNumbered(ctx context.Context, files []string) ([]Named, error) {
	var runs []Named
	for _, file := range files {
		more, err := readRuns(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		runs = continued(runs, more)
	}
	return runs, nil
}

// continued appends the iterations of each run in added to the run of the same name in runs. If
// there is none, it adds a new run. If several runs have the same name, they are matched in order.
func continued(runs, added []Named) []Named {
	taken := map[int]bool{}
	for _, named := range added {
		i := 0
		for i < len(runs) && (taken[i] || runs[i].Name != named.Name) {
			i++
		}
		if i == len(runs) {
			fresh := named
			fresh.Run = &backends.Run{Provenance: named.Run.Provenance}
			runs = append(runs, fresh)
		}
		taken[i] = true
		runs[i].Run.Append(named.Run.Iterations()...)
	}
	return runs
}

// NamedLike returns n with the output names of other if n is Unnamed, and otherwise n unchanged. It
// is an error if the runs have different numbers of iterations or outputs, because the names cannot
// be matched.
func (n Named) NamedLike(other *backends.Run) (Named, error) {
	if !n.Unnamed || other == nil {
		return n, nil
	}
	i := -1
	run, err := n.Run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
		if i++; i >= len(other.Iterations()) {
			return nil, fmt.Errorf("%s has %d iterations, the other run %d: their outputs cannot be matched",
				n.Name, len(n.Run.Iterations()), len(other.Iterations()))
		}
		names := other.Iterations()[i].Outputs.Names()
		if len(names) != set.Len() {
			return nil, fmt.Errorf("%s has %d unnamed outputs, the other run has %d (%s): they cannot "+
				"be matched", n.Name, set.Len(), len(names), strings.Join(names, ", "))
		}
		entries := make([]tensor.Entry, len(names))
		for k, name := range names {
			entries[k] = tensor.Entry{Name: name, Tensor: set.At(k).Tensor}
		}
		return tensor.NewSet(entries...)
	})
	if err != nil {
		return n, err
	}
	return Named{Name: n.Name, Run: run}, nil
}
