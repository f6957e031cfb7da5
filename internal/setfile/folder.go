package setfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/located"
)

// folder reads a folder in one of the forms that the package comment lists.
func (r *reader) folder(path string) error {
	names, err := namesIn(path)
	switch {
	case err != nil:
		return located.In(path, err)
	case slices.ContainsFunc(names, isNumberedJSON):
		return each(path, names, isNumberedJSON, r.path)
	case slices.ContainsFunc(names, isNumbered):
		return each(path, names, isNumbered, r.blobs)
	case slices.ContainsFunc(names, isDataSet):
		return each(path, names, isDataSet, r.dataSet)
	}
	return r.dataSet(path)
}

func namesIn(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// each calls read with the path of every entry whose name satisfies belongs, in the order of the
// numbers at the end of the names. Names without a number come first, sorted by name.
func each(path string, names []string, belongs func(string) bool, read func(string) error) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !belongs(name) })
	slices.SortStableFunc(names, func(a, b string) int { return number(a) - number(b) })
	for _, name := range names {
		if err := read(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// Numbered returns the paths of 0000000000.json, 0000000001.json, … in a folder, in order.
// Polygraphy saves inputs or outputs in such a folder, each iteration in a separate file.
func Numbered(folder string) (paths []string) {
	names, _ := namesIn(folder) // sorted by name, and thus by number
	for _, name := range names {
		if isNumberedJSON(name) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths
}

func isNumberedJSON(name string) bool {
	digits, ok := strings.CutSuffix(name, ".json")
	return ok && isNumbered(digits)
}

// isNumbered reports whether a name is ten digits, as in Polygraphy's files.
func isNumbered(name string) bool {
	return len(name) == 10 && strings.Trim(name, "0123456789") == ""
}

func isDataSet(name string) bool { return strings.HasPrefix(name, "test_data_set_") }

// number returns the last number in a file name, or -1.
func number(name string) int {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// blobs reads one iteration of raw files.
func (r *reader) blobs(path string) error {
	return r.iteration(path, func(name string) bool { return filepath.Ext(name) == ".bin" },
		"it contains no .bin file")
}

// iteration reads one iteration from the single-tensor files in a folder whose names satisfy
// belongs. missing is the text of the error if there are no such files.
func (r *reader) iteration(path string, belongs func(string) bool, missing string) error {
	names, err := namesIn(path)
	if err == nil && !slices.ContainsFunc(names, belongs) {
		err = errors.New(missing)
	}
	if err != nil {
		return located.In(path, err)
	}
	if err = r.flush(); err == nil {
		err = each(path, names, belongs, r.wait)
	}
	if err != nil {
		return err
	}
	return r.flush()
}

// dataSet reads one ONNX test data set: input_0.pb, input_1.pb, … or output_0.pb, …
func (r *reader) dataSet(path string) error {
	role := r.options.Role
	return r.iteration(path, func(name string) bool {
		return strings.HasPrefix(name, role+"_") && filepath.Ext(name) == ".pb" && number(name) >= 0
	}, fmt.Sprintf("the folder has no %s in a supported form: 0000000000.json, 0000000000/NAME.bin "+
		"or %s_0.pb", role, role))
}
