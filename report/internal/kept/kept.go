// Package kept writes what reports store about a comparison: files, and attributes of the test.
package kept

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// Saved lists the files that [Save] wrote. Actual or Expected is empty if the side has no compared
// outputs.
type Saved struct {
	Actual   string `json:"actual,omitempty"`
	Expected string `json:"expected,omitempty"`
	// Pictures lists the files that the draw functions wrote.
	Pictures []string `json:"pictures,omitempty"`
}

// String returns the text for consoles.
func (s Saved) String() string {
	return strings.TrimSpace(strings.Join(append([]string{s.Actual, s.Expected}, s.Pictures...), "\n"))
}

// Draw writes pictures of a comparison into a folder and returns their paths. It is the type of
// plots.Draw.
type Draw = func(folder string, pair compare.Pair) (files []string, err error)

// T is the part of *testing.T that reports need.
type T = interface {
	Attr(key, value string)
	ArtifactDir() string
	Fatalf(format string, args ...any)
}

// Artifacts reports whether go test runs with the flag -artifacts.
func Artifacts() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// Describe calls put with each attribute of a run: its engine, version and model, and the worst
// error of its comparisons, which is nil if nothing was compared. It skips empty values, and makes
// each value a single line.
func Describe(put func(key, value string), engine, version, model string, worst *float64) {
	attributes := [][2]string{{"engine", engine}, {"version", version}, {"model", model}}
	if worst != nil {
		attributes = append(attributes, [2]string{"worst-error", fmt.Sprint(*worst)})
	}
	for _, a := range attributes {
		if a[1] != "" {
			put(a[0], names.Line(a[1]))
		}
	}
}

// Worst returns the largest absolute error of a report's outputs, or NaN if one is NaN. It returns
// nil if no elements were compared.
func Worst(r compare.Report) (worst *float64) {
	for _, o := range r.Outputs {
		if errors := o.Statistics().Abs; errors.Count > 0 {
			if worst == nil {
				worst = new(float64)
			}
			*worst = math.Max(*worst, errors.Max)
		}
	}
	return worst
}

// Save writes both sides of a comparison as saved runs, actual.json and expected.json, which
// `modelparity compare` and Polygraphy can read, and calls each draw function. It creates the
// folder. Outputs are saved as they were compared: after top-k and reshaping, and without outputs
// that were not compared.
func Save(folder string, pair compare.Pair, draw ...Draw) (files Saved, err error) {
	write := func(file, made string, pick func(compare.Output) (string, *tensor.Tensor)) (
		path string, err error) {
		run, err := sideOf(pair.Report, pick)
		if err == nil && run.Len() == 0 {
			return "", nil // this side has no compared outputs and cannot be a run
		}
		if err == nil {
			path, err = wholefile.Below(folder, file)
		}
		if err == nil {
			err = runs.WriteRuns(path, []runs.Named{{Name: made, Run: run}})
		}
		return path, err
	}
	files.Actual, err = write("actual.json", pair.Actual,
		func(o compare.Output) (string, *tensor.Tensor) { return o.Name, o.Actual })
	if err == nil {
		files.Expected, err = write("expected.json", pair.Expected,
			func(o compare.Output) (string, *tensor.Tensor) { return o.ExpectedName, o.Expected })
	}
	if err != nil {
		return files, fmt.Errorf("the outputs: %w", err)
	}
	for _, d := range draw {
		pictures, err := d(folder, pair)
		if err != nil {
			return files, fmt.Errorf("the pictures: %w", err)
		}
		files.Pictures = append(files.Pictures, pictures...)
	}
	return files, nil
}

// sideOf returns one side of a report as a run. For each output, the function pick returns that
// side's name and tensor. The run omits the iterations in which the side has no output.
func sideOf(r compare.Report, pick func(compare.Output) (string, *tensor.Tensor)) (*backends.Run,
	error) {
	entries := map[int][]tensor.Entry{}
	for _, o := range r.Outputs {
		if name, t := pick(o); t != nil && o.Iteration != compare.Averaged {
			entries[o.Iteration] = append(entries[o.Iteration], tensor.Entry{Name: name, Tensor: t})
		}
	}
	run := new(backends.Run)
	for _, i := range slices.Sorted(maps.Keys(entries)) {
		set, err := tensor.NewSet(entries[i]...)
		if err != nil {
			return nil, err
		}
		run.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	return run, nil
}
