package goldenfiles

import (
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Grid formats a tensor's values like NumPy, nested in brackets with a line for each row. edge is
// the number of entries to show at each end of a dimension; an ellipsis replaces the entries
// between them. If edge is negative, all entries are shown. Lines have at most width columns; a
// width below 1 means no limit.
func Grid(t *tensor.Tensor, edge, width int) string {
	if t == nil || len(t.Shape()) == 0 {
		if t.Len() == 0 {
			return ""
		}
		return t.Text(0)
	}
	g := grid{t: t, edge: edge, width: width}
	g.print(0, 0, t.Len())
	return g.String()
}

type grid struct {
	strings.Builder
	t           *tensor.Tensor
	edge, width int
}

// print formats a block of n elements starting at offset. The elements in a block have the same
// indices in all dimensions before dim.
func (g *grid) print(dim, offset, n int) {
	g.WriteByte('[')
	length := g.t.Shape()[dim]
	last := dim == len(g.t.Shape())-1
	column := dim + 1
	for i, first := 0, true; i < length && n > 0; i, first = i+1, false {
		gap := ""
		if !first {
			gap = " "
			if !last {
				gap = "\n" + strings.Repeat(" ", dim+1)
			}
		}
		text := ""
		switch cut := g.edge >= 0 && length > 2*g.edge && i == g.edge; {
		case cut:
			text, i = "...", length-g.edge-1
		case last:
			text = g.t.Text(offset + i)
		}
		if last && g.width > 0 && !first && column+1+len(text) > g.width {
			gap, column = "\n"+strings.Repeat(" ", dim+1), dim
		}
		column += len(text) + 1
		g.WriteString(gap + text)
		if text == "" {
			each := n / length
			g.print(dim+1, offset+i*each, each)
		}
	}
	g.WriteByte(']')
}
