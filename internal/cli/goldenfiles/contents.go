package goldenfiles

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// Content is one output of a saved run, or one saved input, at a glance. It marshals to JSON
// safely.
type Content struct {
	Run       string             `json:"run,omitempty"` // "" for inputs
	Iteration int                `json:"iteration"`
	Name      string             `json:"name"`
	Type      tensor.ElementType `json:"type"`
	Shape     tensor.Shape       `json:"shape"`
	Value     string             `json:"value,omitempty"` // the type of a sequence or a map
	Summary   tensor.Summary     `json:"summary"`
	Values    string             `json:"values,omitempty"` // as [tensor.Tensor.Grid], where asked for
}

// Shown says how the values of a file are shown: not at all, where it is nil, or with so many at
// the edges of each dimension (below 0: all), in lines of so many columns (below 1: any).
type Shown struct{ Items, Width int }

// Contents is what a file of runs or of inputs holds, in its order.
type Contents []Content

// ReadContents reads the runs of a file as [runs.ReadRuns] does, or else its inputs as
// [fixtures.Load] does. If a file holds neither, the error is about reading runs.
func ReadContents(path string, shown *Shown) (Contents, error) {
	var all Contents
	saved, err := runs.ReadRuns(path)
	if err != nil {
		return contentsOfInputs(path, shown, err)
	}
	for _, named := range saved {
		for i, set := range named.Run.Outputs() {
			if all, err = all.with(named.Name, i, set, shown); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return all, nil
}

// contentsOfInputs is the contents of a file that holds no runs, for the reason noRuns.
func contentsOfInputs(path string, shown *Shown, noRuns error) (all Contents, err error) {
	i := 0
	for set, err := range fixtures.Load(path).All() {
		if err != nil {
			return nil, noRuns
		}
		if all, err = all.with("", i, set, shown); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		i++
	}
	return all, nil
}

// with is the contents and those of one iteration.
func (c Contents) with(run string, iteration int, set *tensor.Set, shown *Shown) (Contents,
	error) {
	for _, v := range set.Values() {
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("%q: %w", v.Name, err)
		}
		of := Content{Run: run, Iteration: iteration, Name: v.Name, Type: t.ElementType(),
			Shape: t.Shape(), Summary: t.Summarize()}
		if !v.IsTensor() {
			of.Value = v.TypeName()
		}
		if shown != nil {
			of.Values = t.Grid(shown.Items, shown.Width)
		}
		c = append(c, of)
	}
	return c, nil
}

// First is the contents of the first iteration of each run, and how many iterations follow it.
func (c Contents) First() (first Contents, more int) {
	for _, one := range c {
		if one.Iteration == 0 {
			first = append(first, one)
		}
		more = max(more, one.Iteration)
	}
	return first, more
}

// Text is one line for each value, under the names of the runs, with the bars of a histogram and
// the values that were read below it if asked. It ends with a newline where there is anything.
func (c Contents) Text(histogram bool) string {
	var b strings.Builder
	run := ""
	for _, s := range c {
		if s.Run != run {
			run = s.Run
			fmt.Fprintln(&b, run)
		}
		fmt.Fprintf(&b, "  iteration %d  %s %s%v  %v\n", s.Iteration, s.Name,
			cmp.Or(s.Value, s.Type.String()), s.Shape, s.Summary)
		if histogram {
			for _, line := range s.Summary.Bars() {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		if s.Values != "" {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(s.Values, "\n", "\n    "))
		}
	}
	return b.String()
}
