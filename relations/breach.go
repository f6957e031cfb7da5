package relations

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
)

// Breach describes the first difference that shows that a relation does not hold.
type Breach struct {
	// How describes the failing run: "different rows", "in run 3 of one session".
	How string `json:"how"`
	// Batch is the smallest batch size that fails, Row is the index of the first wrong row, and Wrong
	// lists the indices of all wrong rows. If the relation does not concern batches, Batch is 0, and
	// Row and Wrong are nil.
	Batch int   `json:"batch,omitempty"`
	Row   *int  `json:"row,omitempty"`
	Wrong []int `json:"wrong_rows,omitempty"`
	// Output is the name of an output that differs. Index is the index of its element that differs
	// most, and Actual and Expected are that element's values. For a batch, Index is relative to the
	// row.
	Output   string `json:"output"`
	Index    []int  `json:"index,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Expected string `json:"expected,omitempty"`
	// Text describes the extent of the difference.
	Text string `json:"text"`
	// Blame says what is known about the cause: for example, whether the row itself or a neighbour is
	// at fault, or which releases differ.
	Blame string `json:"blame,omitempty"`
	// Inside names the first node in the model at which the runs differ.
	Inside string `json:"inside,omitempty"`
}

// String describes the difference in several lines.
func (b *Breach) String() string {
	var lines []string
	if b.Row != nil {
		lines = append(lines, fmt.Sprintf("row %d of a batch of %d, %s: output %q: %s", *b.Row, b.Batch,
			b.How, b.Output, b.Text))
	} else {
		lines = append(lines, fmt.Sprintf("%s: output %q: %s", b.How, b.Output, b.Text))
	}
	if len(b.Wrong) > 1 {
		rows := names.Each(b.Wrong, strconv.Itoa)
		lines = append(lines, fmt.Sprintf("%d of %d rows are wrong: %s", len(rows), b.Batch,
			names.Join(rows)))
	}
	for _, text := range []string{b.Blame, b.Inside} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
