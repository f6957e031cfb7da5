package golden

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
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
}

// Contents is what a file of runs or of inputs holds, in its order.
type Contents []Content

// ReadContents reads the runs of a file as [ReadRuns] does, or else its inputs as [fixtures.Load]
// does. The error of a file that holds neither is that of reading runs.
func ReadContents(path string) (Contents, error) {
	var all Contents
	runs, err := ReadRuns(path)
	if err != nil {
		return contentsOfInputs(path, err)
	}
	for _, named := range runs {
		for i, set := range named.Run.Outputs() {
			if all, err = all.with(named.Name, i, set); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return all, nil
}

// contentsOfInputs is the contents of a file that holds no runs, for the reason noRuns.
func contentsOfInputs(path string, noRuns error) (all Contents, err error) {
	i := 0
	for set, err := range fixtures.Load(path).All() {
		if err != nil {
			return nil, noRuns
		}
		if all, err = all.with("", i, set); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		i++
	}
	return all, nil
}

// with is the contents and those of one iteration.
func (c Contents) with(run string, iteration int, set *tensor.Set) (Contents, error) {
	for _, v := range set.Values() {
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("%q: %w", v.Name, err)
		}
		of := Content{run, iteration, v.Name, t.ElementType(), t.Shape(), "", t.Summarize()}
		if !v.IsTensor() {
			of.Value = v.TypeName()
		}
		c = append(c, of)
	}
	return c, nil
}

// Text is one line for each value, under the names of the runs, with the bars of a histogram below
// it if asked. It ends with a newline where there is anything.
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
	}
	return b.String()
}
