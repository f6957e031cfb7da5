package decisions_test

import (
	"fmt"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// Two classes that lie closer together than the margin may change places; where they do not, the
// other decision is a mismatch.
func ExampleTopK() {
	scores := func(values ...float32) *tensor.Tensor {
		t, _ := tensor.New(tensor.Shape{2, 3}, values)
		return t
	}
	expected := scores(0.50, 0.49, 0, 0.9, 0.1, 0)
	actual := scores(0.49, 0.50, 0, 0.1, 0.9, 0)
	report, err := decisions.TopK(actual, expected, 1, false, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Rows, "rows")
	for _, f := range report.Flipped {
		fmt.Printf("%+v\n", f)
	}
	// Output:
	// 2 rows
	// row 0: 1, expected 0 (margin 0.01, excused)
	// row 1: 1, expected 0 (margin 0.8)
}
