package locate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
)

// A shortened table shows shownBefore rows before the first divergence and shownAfter rows after
// it.
const (
	shownBefore = 6
	shownAfter  = 6
)

// Text describes the finding: the cause, and the rows of the table around the first divergence. It
// does not end with a newline.
func (r *Finding) Text() string { return r.text(false) }

// GomegaString makes Gomega print the finding's text instead of its fields.
func (r Finding) GomegaString() string { return r.Text() }

// Table is like [Finding.Text], but with the whole table.
func (r *Finding) Table() string { return r.text(true) }

func (r *Finding) text(whole bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "actual    %s\nexpected  %s\n%s\n", names.Line(r.Actual),
		names.Line(r.Expected), names.Line(r.Cause))
	innermost := r
	for innermost.Inside != nil {
		innermost = innermost.Inside
	}
	if innermost.Rounding != nil {
		fmt.Fprintln(&b, innermost.Rounding.Text)
	}
	if r.Incomplete != "" {
		fmt.Fprintf(&b, "incomplete: %s\n", r.Incomplete)
	}
	r.table(&b, whole)
	if len(r.Adds) > 0 {
		fmt.Fprintf(&b, "%s\n", r.adds())
	}
	if r.Pairing != nil {
		fmt.Fprintf(&b, "%s\n", r.Pairing.text())
	}
	if r.MarkedVerdict != r.Verdict && r.Incomplete == "" {
		fmt.Fprintf(&b, "marking changed the verdict: the outputs %s without marks and %s with "+
			"every tensor marked\n", r.Verdict, r.MarkedVerdict)
	}
	unpaired(&b, "only in actual", r.OnlyActual)
	unpaired(&b, "only in expected", r.OnlyExpected)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", names.Line(note))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table prints the table, or its rows around the first divergence if whole is false. The table of
// the body of the node at fault follows.
func (r *Finding) table(b *strings.Builder, whole bool) {
	from, to := 0, len(r.Tensors)
	if !whole {
		to = 0 // nothing differs: omit the table
		if at := r.position(); at >= 0 {
			from, to = max(0, at-shownBefore), min(len(r.Tensors), at+shownAfter+1)
		}
	}
	if from < to {
		r.rows(b, from, to)
	}
	if r.Inside != nil {
		fmt.Fprintf(b, "in its %s:\n", r.Inside.Body)
		r.Inside.table(b, whole)
	}
}

// position returns the index of the first tensor that is out of tolerance, or whose node is out of
// tolerance when it runs alone. It returns -1 if there is no such tensor.
func (r *Finding) position() int {
	for i := range r.Tensors {
		p := &r.Tensors[i]
		if p.Verdict == compare.Fail || p.Own != nil && p.Own.Verdict == compare.Fail {
			return i
		}
	}
	return -1
}

// rows prints the rows of the table with indices in [from, to). An arrow marks the first tensor out
// of tolerance.
func (r *Finding) rows(b *strings.Builder, from, to int) {
	if from > 0 {
		fmt.Fprintf(b, "  … %d earlier\n", from)
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "\t  node\ttensor\toperator\ttype\tmax abs\tmax rel\terror\tgrowth\t"+
		"own error\t%s%sverdict", r.ratioTitles(), r.boundCell(nil))
	said := slices.ContainsFunc(r.Tensors[from:to], func(p Point) bool { return p.origin() != "" })
	if said {
		fmt.Fprint(w, "\tmodule")
	}
	fmt.Fprintln(w)
	for i := from; i < to; i++ {
		p := &r.Tensors[i]
		mark, own := "", "-"
		if r.First != nil && p.Tensor == r.First.Tensor {
			mark = "→"
		}
		if p.Own != nil {
			own = p.Own.Error.cell()
			if p.Own.Verdict == compare.Fail {
				own += " !"
			}
		}
		if p.Verdict == "" {
			fmt.Fprintf(w, "\t  %d\t%s\t%s\t-\t-\t-\t-\t-\t-\t%s%sleft out%s\n", p.Index,
				cell(p.Tensor), cell(p.Op), r.ratioCells(p), r.boundCell(p), last(said, p))
			continue
		}
		fmt.Fprintf(w, "%s\t  %d\t%s\t%s\t%v%v\t%s\t%s\t%s\t%s\t%s\t%s%s%s%s\n", mark, p.Index,
			cell(p.Tensor), cell(p.Op), p.Type, p.Shape, p.Abs.cell(), p.Rel.cell(), p.Error.cell(),
			growthCell(p.Growth), own, r.ratioCells(p), r.boundCell(p), p.Verdict, last(said, p))
	}
	var table [][]string
	for line := range strings.Lines(w.String()) {
		table = append(table, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	for _, line := range figures.Table(table) {
		b.WriteString(line + "\n")
	}
	if rest := len(r.Tensors) - to; rest > 0 {
		fmt.Fprintf(b, "  … %d later\n", rest)
	}
}

// cell formats a text for a table whose cells end in tabs.
func cell(text string) string { return strings.ReplaceAll(names.Line(text), "\t", `\t`) }

// growthCell formats the growth of an error. If the error began in the node, the cell reads "from
// 0".
func growthCell(g Number) string {
	if math.IsInf(float64(g), 1) {
		return "from 0"
	}
	return g.cell()
}

// ratioTitles returns the titles of the columns that only quantized and 16-bit models have.
func (r *Finding) ratioTitles() string {
	if !r.rated() {
		return ""
	}
	return "SQNR dB\trmse/scale\t"
}

func (r *Finding) ratioCells(p *Point) string {
	if !r.rated() {
		return ""
	}
	cells := ""
	for _, n := range []*Number{p.SQNR, p.OverScale} {
		if n == nil {
			cells += "-\t"
			continue
		}
		cells += n.cell() + "\t"
	}
	return cells
}

// boundCell returns the cell with each side's error divided by its bound. If p is nil, it returns
// the column's title. It returns "" if the table lacks the column, because neither side was
// compared with float64.
func (r *Finding) boundCell(p *Point) string {
	switch {
	case r.Rounding == nil || r.Rounding.Actual.Unknown != "" && r.Rounding.Expected.Unknown != "":
		return ""
	case p == nil:
		return "error/bound\t"
	case p.Tensor != r.Rounding.Tensor:
		return "-\t"
	}
	return r.Rounding.Actual.cell() + " | " + r.Rounding.Expected.cell() + "\t"
}

// rated reports whether any tensor has an SQNR.
func (r *Finding) rated() bool {
	return slices.ContainsFunc(r.Tensors, func(p Point) bool { return p.SQNR != nil })
}

// last returns the last cell of a row, with the node's origin. said tells whether the table has
// that column.
func last(said bool, p *Point) string {
	if !said {
		return ""
	}
	return "\t" + cell(p.origin())
}

// unpaired writes a line that lists the tensors without a counterpart, if there are any.
func unpaired(b *strings.Builder, what string, tensors []string) {
	if len(tensors) > 0 {
		fmt.Fprintf(b, "%s, so not compared: %s\n", what, abridged(tensors))
	}
}

// abridged lists the first few names and says how many more there are.
func abridged(tensors []string) string {
	const most = 8
	text := names.Line(strings.Join(tensors[:min(len(tensors), most)], ", "))
	if more := len(tensors) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
