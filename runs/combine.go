package runs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Merge makes inputs of saved inputs and outputs: each iteration holds the tensors of that
// iteration of every file, as for a part of a model that is fed with what the part before it gave.
// Files are those of [ReadRuns], FILE#RUN among them.
//
// Files of another number of iterations, and two files that hold a tensor of one name with other
// values, are errors: which of them is meant cannot be known. Polygraphy's data merge fills up with
// what it has, and lets the last file win.
func Merge(paths ...string) (fixtures.Inputs, error) {
	var sets []*tensor.Set
	from := map[string]string{} // the file of each tensor
	for i, path := range paths {
		runs, err := ReadRuns(path)
		if err != nil {
			return fixtures.Inputs{}, err
		}
		for _, named := range runs {
			outputs := named.Run.Outputs()
			if i == 0 && sets == nil {
				sets = make([]*tensor.Set, len(outputs))
			}
			if len(outputs) != len(sets) {
				return fixtures.Inputs{}, fmt.Errorf("%s has %d iterations, and %s has %d: every "+
					"iteration needs all of its tensors; data concat joins iterations", path,
					len(outputs), paths[0], len(sets))
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

// merged is a set with the tensors of another from a file.
func merged(set, more *tensor.Set, from map[string]string, file string) (*tensor.Set, error) {
	var entries []tensor.Entry
	for i := range set.Len() {
		entries = append(entries, set.At(i))
	}
	for i := range more.Len() {
		entry := more.At(i)
		if known, there := set.Get(entry.Name); !there {
			entries, from[entry.Name] = append(entries, entry), file
		} else if !known.Identical(entry.Tensor) {
			return nil, fmt.Errorf("%s and %s hold different values of %q; leave one of them out, or "+
				"choose a run by FILE#RUN", from[entry.Name], file, entry.Name)
		}
	}
	return tensor.NewSet(entries...)
}

// Concatenated is the iterations of several files, one after the other.
type Concatenated struct {
	runs   []Named
	inputs bool
	// Notes are what the reader should know: tensors that only some iterations have.
	Notes []string
}

// Concat joins the iterations of files that hold saved inputs, or of files that hold saved outputs.
// The runs of files with one run each are joined whatever they are called, since Polygraphy puts
// the time into a name; of files with several runs those of one name are joined, as Polygraphy
// does. Inputs and outputs do not mix.
func Concat(paths ...string) (*Concatenated, error) {
	c := &Concatenated{}
	var all [][]Named
	single := true
	for i, path := range paths {
		runs, err := ReadRuns(path)
		if err != nil {
			return nil, err
		}
		outputs, err := holdsOutputs(path)
		if err != nil {
			return nil, err
		}
		if i > 0 && outputs == c.inputs {
			return nil, fmt.Errorf("%s and %s: saved inputs and saved outputs are not joined; modelparity "+
				"data merge makes inputs of outputs", paths[0], path)
		}
		c.inputs, single = !outputs, single && len(runs) == 1
		all = append(all, runs)
	}
	if len(all) == 0 {
		return nil, errors.New("name the files to join")
	}
	for i, runs := range all {
		if single {
			runs = []Named{{Name: all[0][0].Name, Run: runs[0].Run, Unnamed: runs[0].Unnamed}}
		}
		for _, run := range runs {
			c.compareNames(run, paths[i])
		}
		c.runs = continued(c.runs, runs)
	}
	return c, nil
}

// compareNames notes tensors that differ from those of the run's first iteration.
func (c *Concatenated) compareNames(run Named, path string) {
	first := run.Run
	if len(first.Outputs()) == 0 {
		return
	}
	if i := slices.IndexFunc(c.runs, func(r Named) bool { return r.Name == run.Name }); i >= 0 &&
		len(c.runs[i].Run.Outputs()) > 0 {
		first = c.runs[i].Run
	}
	for _, set := range run.Run.Outputs() {
		want, got := first.Outputs()[0].Names(), set.Names()
		if !slices.Equal(want, got) {
			c.Notes = append(c.Notes, fmt.Sprintf("%s holds %s, and iterations before it hold %s", path,
				strings.Join(got, ", "), strings.Join(want, ", ")))
			return
		}
	}
}

// Iterations is how many iterations each run has, or the inputs.
func (c *Concatenated) Iterations() int {
	most := 0
	for _, run := range c.runs {
		most = max(most, len(run.Run.Iterations()))
	}
	return most
}

// Save writes what was joined in the format that path's extension says.
func (c *Concatenated) Save(path string) error {
	if c.inputs {
		return fixtures.Save(path, fixtures.Of(c.runs[0].Run.Outputs()...))
	}
	return WriteRuns(path, c.runs)
}

// MergeTo writes what [Merge] makes to a file, in the format that its extension says.
func MergeTo(to string, paths ...string) (notes []string, err error) {
	inputs, err := Merge(paths...)
	if err != nil {
		return nil, err
	}
	return nil, fixtures.Save(to, inputs)
}

// ConcatTo writes what [Concat] makes to a file, and gives its notes in lines.
func ConcatTo(to string, paths ...string) (notes []string, err error) {
	joined, err := Concat(paths...)
	if err != nil {
		return nil, err
	}
	for _, note := range joined.Notes {
		notes = append(notes, "note: "+note+"\n")
	}
	return notes, joined.Save(to)
}

// holdsOutputs reports whether a file holds saved outputs rather than saved inputs. Formats that
// do not tell hold inputs.
func holdsOutputs(path string) (bool, error) {
	file, _ := splitSelection(path)
	if files := numbered(file); len(files) > 0 {
		file = files[0]
	}
	if !strings.EqualFold(filepath.Ext(file), ".json") {
		return false, nil
	}
	return hasResults(file)
}
