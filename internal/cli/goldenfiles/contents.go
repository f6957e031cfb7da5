package goldenfiles

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// Content summarizes one output or input in a saved file. It can be marshaled to JSON even if it
// contains NaN.
type Content struct {
	Run       string             `json:"run,omitempty"` // "" for inputs
	Iteration int                `json:"iteration"`
	Name      string             `json:"name"`
	Type      tensor.ElementType `json:"type"`
	Shape     tensor.Shape       `json:"shape"`
	Value     string             `json:"value,omitempty"` // the type of a sequence or a map
	Summary   Summary            `json:"summary"`
	Values    string             `json:"values,omitempty"` // formatted by Grid, if requested
}

// Shown selects the values to show: the first and last Items of each dimension (all if negative),
// in lines of Width columns (unlimited if 0 or less). A nil *Shown shows no values.
type Shown struct{ Items, Width int }

// Contents summarizes a file of runs or inputs, in the order of the file.
type Contents []Content

// ReadContents reads a file's runs like [runs.ReadRuns] or, if it has none, its inputs like
// [fixtures.Load]. If the file holds neither, the error is the one from reading runs.
func ReadContents(ctx context.Context, path string, shown *Shown) (Contents, error) {
	var all Contents
	saved, err := runs.ReadRuns(ctx, path)
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

// contentsOfInputs reads a file's inputs. If the file cannot be read as inputs, it returns the
// error noRuns.
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

// with returns c with the contents of one iteration appended.
func (c Contents) with(run string, iteration int, set *tensor.Set, shown *Shown) (Contents,
	error) {
	for _, v := range set.Values() {
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("%q: %w", v.Name, err)
		}
		of := Content{Run: run, Iteration: iteration, Name: v.Name, Type: t.ElementType(),
			Shape: t.Shape(), Summary: Summarize(t)}
		if v.Tensor == nil {
			of.Value = compound.TypeName(&v)
		}
		if shown != nil {
			of.Values = Grid(t, shown.Items, shown.Width)
		}
		c = append(c, of)
	}
	return c, nil
}

// First returns the contents of the first iteration of each run, and the number of iterations after
// the first.
func (c Contents) First() (first Contents, more int) {
	for _, one := range c {
		if one.Iteration == 0 {
			first = append(first, one)
		}
		more = max(more, one.Iteration)
	}
	return first, more
}

// Text returns one line per output or input, grouped by run. Bars of a histogram follow if
// histogram is true, and the values if they were read. The text ends with a newline unless it is
// empty.
func (c Contents) Text(histogram bool) string {
	var b strings.Builder
	run := ""
	for _, s := range c {
		if s.Run != run {
			run = s.Run
			fmt.Fprintln(&b, names.Line(run))
		}
		fmt.Fprintf(&b, "  iteration %d  %s %s%v  %v\n", s.Iteration, names.Line(s.Name),
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
