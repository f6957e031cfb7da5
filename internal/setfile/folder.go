package setfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// folder reads a folder in one of the forms that the package comment lists.
func (r *reader) folder(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		r.fail(path, err)
		return
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	switch {
	case slices.ContainsFunc(names, numbered(".json")):
		r.each(path, names, numbered(".json"), r.path)
	case slices.ContainsFunc(names, numbered("")):
		r.each(path, names, numbered(""), r.blobs)
	case slices.ContainsFunc(names, isDataSet):
		r.each(path, names, isDataSet, r.dataSet)
	default:
		r.dataSet(path)
	}
}

// each reads the names that belong, in the order of their numbers.
func (r *reader) each(path string, names []string, belongs func(string) bool, read func(string)) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !belongs(name) })
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	for _, name := range names {
		if !r.done {
			read(filepath.Join(path, name))
		}
	}
}

// numbered reports whether a name is 0000000042 and the extension: ten digits, as Polygraphy has.
func numbered(extension string) func(string) bool {
	return func(name string) bool {
		digits, ok := strings.CutSuffix(name, extension)
		return ok && len(digits) == 10 && strings.Trim(digits, "0123456789") == ""
	}
}

func isDataSet(name string) bool { return strings.HasPrefix(name, "test_data_set_") }

// number is the last number in a name, -1 where there is none.
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
func (r *reader) blobs(path string) {
	files, err := filepath.Glob(filepath.Join(escaped(path), "*.bin"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no .bin file is in it")
	}
	if err != nil {
		r.fail(path, err)
		return
	}
	r.flush()
	for _, file := range files {
		if !r.done {
			r.wait(file)
		}
	}
	r.flush()
}

// dataSet reads one of ONNX's sets: input_0.pb, input_1.pb, … or output_0.pb, …
func (r *reader) dataSet(path string) {
	role := r.options.Role
	entries, err := os.ReadDir(path)
	if err != nil {
		r.fail(path, err)
		return
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	belongs := func(name string) bool {
		return strings.HasPrefix(name, role+"_") && filepath.Ext(name) == ".pb" && number(name) >= 0
	}
	if !slices.ContainsFunc(names, belongs) {
		r.fail(path, fmt.Errorf("the folder has no %s in a known form: 0000000000.json, "+
			"0000000000/NAME.bin or %s_0.pb", role, role))
		return
	}
	r.flush()
	r.each(path, names, belongs, r.wait)
	r.flush()
}

// escaped protects a path from being read as a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
