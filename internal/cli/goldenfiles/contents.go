package goldenfiles

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// Content is the summary of one output or input in a saved file. It can be marshaled to JSON even
// if it contains NaN.
type Content struct {
	Run       string             `json:"run,omitempty"` // "" for inputs
	run       int                // -1 for inputs; runs may share a name
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

// Contents summarizes the outputs or inputs in a file, in the order of the file. It makes one
// summary at a time, because the summaries of many small tensors can be larger than the file.
type Contents struct {
	path  string
	runs  []runs.Named
	shown *Shown
}

// ReadContents reads a file's runs like [runs.ReadRuns] or, if it has none, its inputs like
// [fixtures.Load]. If the file contains neither, the error is the one from reading runs. The
// contents of a file of inputs are not kept; they are read again when the summaries are written.
func ReadContents(ctx context.Context, path string, shown *Shown) (*Contents, error) {
	c := &Contents{path: path, shown: shown}
	var noRuns error
	c.runs, noRuns = runs.ReadRuns(ctx, path)
	if refused := new(budget.RefusedError); errors.As(noRuns, &refused) {
		return nil, noRuns
	}
	stacked := true
	err := c.sets(func(_, _ int, set *tensor.Set) error {
		for _, v := range set.Values() {
			if _, err := v.Stack(); err != nil {
				stacked = false
				return fmt.Errorf("%q: %w", v.Name, err)
			}
		}
		return nil
	})
	if err != nil && noRuns != nil && stacked { // neither runs nor inputs
		err = noRuns
	}
	return c, err
}

// sets calls visit for each iteration of each run, and passes the index of the run. A file of
// inputs contains no runs. For such a file, sets calls visit for each iteration of the inputs, and
// passes -1 as the run.
func (c *Contents) sets(visit func(run, iteration int, set *tensor.Set) error) error {
	for run, named := range c.runs {
		for i, set := range named.Run.Outputs() {
			if err := visit(run, i, set); err != nil {
				return fmt.Errorf("%s: %w", c.path, err)
			}
		}
	}
	if c.runs != nil {
		return nil
	}
	i := 0
	for set, err := range fixtures.Load(c.path).All() {
		if err == nil {
			err = visit(-1, i, set)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		i++
	}
	return nil
}

// Each calls visit with the summary of every output or input, for those iterations for which wanted
// returns true.
func (c *Contents) Each(wanted func(iteration int) bool, visit func(Content) error) error {
	return c.sets(func(run, iteration int, set *tensor.Set) error {
		if !wanted(iteration) {
			return nil
		}
		for _, v := range set.Values() {
			t, err := v.Stack()
			if err != nil {
				return fmt.Errorf("%q: %w", v.Name, err)
			}
			of := Content{run: run, Iteration: iteration, Name: v.Name, Type: t.ElementType(),
				Shape: t.Shape(), Summary: Summarize(t)}
			if run >= 0 {
				of.Run = c.runs[run].Name
			}
			if v.Tensor == nil {
				of.Value = compound.TypeName(&v)
			}
			if c.shown != nil {
				of.Values = Grid(t, c.shown.Items, c.shown.Width)
			}
			if err := visit(of); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteJSON writes the contents as an indented list.
func (c *Contents) WriteJSON(to io.Writer) error {
	before, after := "[", "[]\n"
	err := c.Each(func(int) bool { return true }, func(one Content) error {
		text, err := json.MarshalIndent(one, "  ", "  ")
		if err == nil {
			_, err = fmt.Fprintf(to, "%s\n  %s", before, text)
		}
		before, after = ",", "\n]\n"
		return err
	})
	if err == nil {
		_, err = io.WriteString(to, after)
	}
	return err
}

// WriteText writes one line per output or input, grouped by run. If histogram is true, the bars of
// a histogram follow, and then the values if c.shown selects any. Unless all is true, it writes
// only the first iteration of each run, and says how many more there are.
func (c *Contents) WriteText(to io.Writer, histogram, all bool) error {
	run, more := -1, 0
	err := c.Each(func(iteration int) bool {
		more = max(more, iteration)
		return all || iteration == 0
	}, func(s Content) error {
		var b strings.Builder
		if s.run != run {
			run = s.run
			fmt.Fprintln(&b, names.Line(s.Run))
		}
		line := fmt.Sprintf("  iteration %d  %s %s%v  %v", s.Iteration, names.Line(s.Name),
			cmp.Or(s.Value, s.Type.String()), s.Shape, s.Summary)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		if histogram {
			for _, line := range s.Summary.Bars() {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		if s.Values != "" {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(s.Values, "\n", "\n    "))
		}
		_, err := io.WriteString(to, b.String())
		return err
	})
	if err == nil && run < 0 && len(c.runs) > 0 {
		_, err = fmt.Fprintln(to, "no run has an output")
	}
	if err == nil && more > 0 && !all {
		_, err = fmt.Fprintf(to, "%s not shown; --all shows all\n", figures.Plural(more, "iteration"))
	}
	return err
}
