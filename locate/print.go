package locate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
)

// shownAround is the largest number of rows that a shortened table shows before the first
// divergence, and after it.
const shownAround = 6

// Text describes the finding: the cause, and the part of the table around the first divergence. It
// does not end with a newline.
func (r *Finding) Text() string { return r.text(false) }

// GomegaString makes Gomega print the finding's text instead of its fields.
func (r Finding) GomegaString() string { return r.Text() }

// Table is like [Finding.Text], but shows the whole table.
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
		fmt.Fprintf(&b, "marking every tensor as an output changed the verdict on the original "+
			"outputs from %s to %s\n", r.Verdict, r.MarkedVerdict)
	}
	unpaired(&b, "actual", r.OnlyActual)
	unpaired(&b, "expected", r.OnlyExpected)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", names.Line(note))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table prints the whole table or, if whole is false, the rows around the first divergence. If the
// node at fault has a body, the table of the body follows.
func (r *Finding) table(b *strings.Builder, whole bool) {
	from, to := 0, len(r.Tensors)
	if !whole {
		to = 0 // nothing differs: omit the table
		if at := r.position(); at >= 0 {
			from, to = max(0, at-shownAround), min(len(r.Tensors), at+shownAround+1)
		}
	}
	if from < to {
		r.rows(b, from, to)
	}
	if r.Inside != nil && (whole || r.Inside.position() >= 0) {
		fmt.Fprintf(b, "in its %s:\n", r.Inside.Body)
		r.Inside.table(b, whole)
	}
}

// position returns the index of the first tensor that is out of tolerance itself, or whose node is
// out of tolerance when it runs alone. It returns -1 if there is no such tensor.
func (r *Finding) position() int {
	return slices.IndexFunc(r.Tensors, func(p Point) bool {
		return !p.unused && (p.Verdict == compare.Fail || p.Own != nil && p.Own.Verdict == compare.Fail)
	})
}

// rows prints the table's rows with indices in [from, to). An arrow marks the first tensor out of
// tolerance. The columns of quantization ratios appear only for quantized and 16-bit models, and
// the column of error bounds only in a comparison with float64.
func (r *Finding) rows(b *strings.Builder, from, to int) {
	if from > 0 {
		fmt.Fprintf(b, "  … %d earlier\n", from)
	}
	rated := slices.ContainsFunc(r.Tensors, func(p Point) bool { return p.SQNR != nil })
	said := slices.ContainsFunc(r.Tensors[from:to], func(p Point) bool { return p.origin() != "" })
	bounded := r.Rounding != nil &&
		(r.Rounding.Actual.Unknown == "" || r.Rounding.Expected.Unknown == "")
	head := []string{"", "  node", "tensor", "operator", "type", "max abs", "max rel", "error",
		"growth", "own error"}
	if rated {
		head = append(head, "SQNR dB", "rmse/scale")
	}
	if bounded {
		head = append(head, "error/bound")
	}
	head = append(head, "verdict")
	if said {
		head = append(head, "module")
	}
	table := [][]string{head}
	for i := from; i < to; i++ {
		p := &r.Tensors[i]
		row := p.cells()
		if r.First != nil && p.Tensor == r.First.Tensor {
			row[0] = "→"
		}
		if rated {
			row = append(row, p.SQNR.cell(), p.OverScale.cell())
		}
		switch {
		case bounded && p.Tensor == r.Rounding.Tensor:
			row = append(row, r.Rounding.Actual.cell()+" | "+r.Rounding.Expected.cell())
		case bounded:
			row = append(row, "-")
		}
		row = append(row, cmp.Or(string(p.Verdict), "left out"))
		if said {
			row = append(row, names.Line(p.origin()))
		}
		table = append(table, row)
	}
	for _, line := range figures.Table(table) {
		b.WriteString(line + "\n")
	}
	if rest := len(r.Tensors) - to; rest > 0 {
		fmt.Fprintf(b, "  … %d later\n", rest)
	}
}

// cells returns the cells of p's row in the columns that every table has, except the verdict.
func (p *Point) cells() []string {
	row := []string{"", fmt.Sprintf("  %d", p.Index), names.Line(p.Tensor), names.Line(p.Op)}
	if p.Verdict == "" {
		return append(row, slices.Repeat([]string{"-"}, 6)...)
	}
	growth, own := p.Growth.cell(), "-"
	if math.IsInf(float64(p.Growth), 1) {
		growth = "from 0" // the error began in the node
	}
	if p.Own != nil {
		own = p.Own.Error.cell()
		if p.Own.Verdict == compare.Fail {
			own += " !"
		}
	}
	return append(row, fmt.Sprintf("%v%v", p.Type, p.Shape), p.Abs.cell(), p.Rel.cell(),
		p.Error.cell(), growth, own)
}

// unpaired prints a line that lists the tensors without a counterpart, if there are any.
func unpaired(b *strings.Builder, side string, tensors []string) {
	if len(tensors) > 0 {
		fmt.Fprintf(b, "%s tensors without a counterpart, so not compared: %s\n", side,
			abridged(tensors))
	}
}

// abridged lists the first few of the texts in one line, and says how many more there are.
func abridged(list []string) string { return names.Line(names.Join(list)) }
