package golden

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
)

// Matrix says which of several golden files of one name agree with which.
type Matrix struct {
	Name  string   `json:"name"`  // that they share, with its folder
	Files []string `json:"files"` // sorted
	Cells []Cell   `json:"cells"` // one for each pair, in the order of the files
}

// Cell is one golden file held to another.
type Cell struct {
	Actual   int             `json:"actual"` // index of the file
	Expected int             `json:"expected"`
	Verdict  compare.Verdict `json:"verdict"`
	// MaxAbs is the greatest absolute difference of an element, and Output where it is. It is not in
	// JSON where there is no number: Reason says why.
	MaxAbs float64 `json:"max_abs,omitempty"`
	Output string  `json:"output,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// Matrices compares the golden files under paths that share a name: [Variants], before the @.
// Each pair is compared once, the later file held to the earlier, by atol and rtol of each element.
// Files alone of their name are left out. A file that cannot be read, or holds a sample, is an
// error.
func Matrices(ctx context.Context, atol, rtol float64, paths ...string) (all []Matrix, err error) {
	names, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		shared := filepath.Join(filepath.Dir(name), base(strings.TrimSuffix(filepath.Base(name),
			".json")))
		i := slices.IndexFunc(all, func(m Matrix) bool { return m.Name == shared })
		if i < 0 {
			i, all = len(all), append(all, Matrix{Name: shared})
		}
		all[i].Files = append(all[i].Files, name)
	}
	all = slices.DeleteFunc(all, func(m Matrix) bool { return len(m.Files) < 2 })
	for i := range all {
		if err := all[i].fill(ctx, atol, rtol); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fill compares each pair.
func (m *Matrix) fill(ctx context.Context, atol, rtol float64) error {
	runs := make([]*backends.Run, len(m.Files))
	for i, name := range m.Files {
		reference, err := ReadReference(ctx, name)
		if err == nil {
			err = reference.whole()
		}
		if err != nil {
			return err
		}
		runs[i] = reference.Run
	}
	for e := range runs {
		for a := e + 1; a < len(runs); a++ {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			cell, err := cellOf(runs[a], runs[e], atol, rtol)
			if err != nil {
				return fmt.Errorf("golden: %s against %s: %w", m.Files[a], m.Files[e], err)
			}
			cell.Actual, cell.Expected = a, e
			m.Cells = append(m.Cells, cell)
		}
	}
	return nil
}

func cellOf(actual, expected *backends.Run, atol, rtol float64) (cell Cell, err error) {
	report, err := compare.Runs(actual.Outputs(), expected.Outputs(), compare.Options{
		Checks:   []compare.Check{compare.Within(atol, rtol, compare.Elementwise)},
		NaNEqual: true, InfinitiesEqual: true, AllowEmpty: true})
	if err != nil {
		return cell, err
	}
	cell.Verdict, cell.Reason = report.Verdict, report.Reason
	for _, out := range report.Outputs {
		if len(out.Results) == 0 {
			continue
		}
		if most := out.Statistics().Abs.Max; most > cell.MaxAbs {
			cell.MaxAbs, cell.Output = most, out.Name
		}
	}
	if math.IsInf(cell.MaxAbs, 0) {
		cell.MaxAbs = 0
	}
	return cell, nil
}

// String is a table: a row and a column for each file.
func (m Matrix) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", m.Name)
	width := 12
	for i, name := range m.Files {
		row := fmt.Sprintf("  %2d", i+1)
		for e := range i {
			for _, c := range m.Cells {
				if c.Actual == i && c.Expected == e {
					row += fmt.Sprintf("  %-*s", width, c.text())
				}
			}
		}
		row += "  -"
		fmt.Fprintf(&b, "%-*s  %s\n", 4+(width+2)*len(m.Files), row, filepath.Base(name))
	}
	return b.String()
}

// text is a cell in the table: "ok 1.2e-06".
func (c Cell) text() string {
	word := "ok"
	if c.Verdict == compare.Fail {
		word = "FAIL"
	}
	if c.Output == "" && c.Verdict == compare.Fail {
		return word
	}
	return word + " " + figures.Short(c.MaxAbs)
}

// matrices is the table of who agrees with whom.
func matrices(ctx context.Context, q Question) (Answer, error) {
	all, err := Matrices(ctx, q.Atol, q.Rtol, q.Paths...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("golden: no two golden files under %s share a name before the @",
			under(q.Paths))
	}
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Value: all}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprint(&b, m)
		for _, c := range m.Cells {
			a.Differs = a.Differs || c.Verdict == compare.Fail
		}
	}
	fmt.Fprintf(&b, "greatest difference of an element; ok where each is within atol %g or rtol %g\n",
		q.Atol, q.Rtol)
	a.Text = b.String()
	return a, nil
}

// Tolerance reads an absolute or relative tolerance.
func Tolerance(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) {
		return 0, fmt.Errorf("%q is not a tolerance: want a number from 0", text)
	}
	return v, nil
}
