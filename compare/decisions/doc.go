// Package decisions compares what models decide, not the numbers that they decide by: which class,
// which boxes, which order, which mask, which token. Two runs whose numbers are close may decide
// otherwise, and two whose numbers are far apart may decide alike.
//
// One principle holds throughout: a decision may flip only where its margin is below what the
// numbers may differ by. The margin of a choice is the distance, on the expected side, between what
// was chosen and what would have been chosen in its place. A flip within the margin is excused and
// counted; one beyond it is a mismatch.
//
// Definitions that have a reference implementation (pycocotools, scikit-learn, SciPy) agree with
// it; each names its source.
package decisions

import "fmt"

// Flip is one decision that differs between the two sides.
type Flip struct {
	Row              int     `json:"row"`
	Actual, Expected int     // what each side chose: classes, indices, tokens
	Margin           float64 `json:"margin"` // on the expected side; see the package
	Excused          bool    `json:"excused"`
}

// String is the flip for messages: "row 3: 7, expected 2 (margin 0.0012, excused)".
func (f Flip) String() string {
	excused := ""
	if f.Excused {
		excused = ", excused"
	}
	return fmt.Sprintf("row %d: %d, expected %d (margin %.4g%s)", f.Row, f.Actual, f.Expected,
		f.Margin, excused)
}

// Count is how many decisions there were, and how they ended.
type Count struct {
	Rows    int `json:"rows"`
	Flips   int `json:"flips"`   // excused ones among them
	Excused int `json:"excused"` // flips within the margin
}

// add counts a flip.
func (c *Count) add(f Flip) {
	c.Flips++
	if f.Excused {
		c.Excused++
	}
}

// Unexcused is the number of flips beyond their margin.
func (c Count) Unexcused() int { return c.Flips - c.Excused }
