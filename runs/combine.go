package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Merge returns inputs that combine the tensors of several files: iteration i contains the tensors
// of iteration i of every file. Use it, for example, to make the inputs of one part of a model from
// the outputs of earlier parts. Paths are as for [ReadRuns], including FILE#RUN.
//
// It is an error if the files differ in the number of iterations, or contain different values for
// the same tensor. (Polygraphy's `data merge` accepts both: it leaves gaps and lets the last file
// win.)
func Merge(ctx context.Context, paths ...string) (fixtures.Inputs, error) {
	var sets []*tensor.Set
	from := map[string]string{} // the file of each tensor
	for i, path := range paths {
		runs, err := ReadRuns(ctx, path)
		if err != nil {
			return fixtures.Inputs{}, err
		}
		for _, named := range runs {
			outputs := named.Run.Outputs()
			if i == 0 && sets == nil {
				sets = make([]*tensor.Set, len(outputs))
			}
			if len(outputs) != len(sets) {
				return fixtures.Inputs{}, fmt.Errorf("%s has %d iterations, but %s has %d: "+
					"merging needs equal numbers; data concat appends iterations", path, len(outputs),
					paths[0], len(sets))
			}
			for k, set := range outputs {
				if sets[k], err = merged(sets[k], set, from, path); err != nil {
					return fixtures.Inputs{}, err
				}
			}
		}
	}
	if len(sets) == 0 {
		return fixtures.Inputs{}, errors.New("name the files to merge")
	}
	return fixtures.Of(sets...), nil
}

// merged returns the tensors of set, followed by those tensors of added that set lacks. added was
// read from file. origins maps the names of tensors to their files, for messages; merged adds the
// new tensors to it.
func merged(set, added *tensor.Set, origins map[string]string, file string) (*tensor.Set, error) {
	var entries []tensor.Entry
	for i := range set.Len() {
		entries = append(entries, set.At(i))
	}
	for i := range added.Len() {
		entry := added.At(i)
		if known, there := set.Get(entry.Name); !there {
			entries, origins[entry.Name] = append(entries, entry), file
		} else if !known.Identical(entry.Tensor) {
			return nil, fmt.Errorf("%s and %s contain different values of %q; omit one, or "+
				"select a run with FILE#RUN", origins[entry.Name], file, entry.Name)
		}
	}
	return tensor.NewSet(entries...)
}

// Concat joins the iterations of files that either all contain saved inputs or all contain saved
// outputs, and writes them to the file named to, in the format that its extension selects. If every
// file has a single run, all runs are joined, whatever their names, because the names that
// Polygraphy generates include the time. Otherwise runs with the same name are joined, as in
// Polygraphy.
func Concat(ctx context.Context, to string, paths ...string) error {
	var all [][]Named
	var inputs bool
	single := true
	for i, path := range paths {
		runs, err := ReadRuns(ctx, path)
		if err != nil {
			return err
		}
		outputs := runs[0].outputs
		if i > 0 && outputs == inputs {
			return fmt.Errorf("%s and %s: saved inputs and saved outputs cannot be joined: "+
				"first turn the outputs into inputs with modelparity data merge", paths[0], path)
		}
		inputs, single = !outputs, single && len(runs) == 1
		all = append(all, runs)
	}
	if len(all) == 0 {
		return errors.New("name the files to join")
	}
	var joined []Named
	for _, runs := range all {
		if single {
			runs = []Named{{Name: all[0][0].Name, Run: runs[0].Run, Unnamed: runs[0].Unnamed}}
		}
		joined = continued(joined, runs)
	}
	if inputs {
		return fixtures.Save(to, fixtures.Of(joined[0].Run.Outputs()...))
	}
	return WriteRuns(to, joined)
}
