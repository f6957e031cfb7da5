package decisions_test

import (
	"fmt"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// Two classes that lie closer together than the margin may change places; where they lie further
// apart, the other decision is a mismatch.
func ExampleJudge() {
	scores := func(values ...float32) []*tensor.Set {
		t, _ := tensor.New(tensor.Shape{2, 3}, values)
		set, _ := tensor.NewSet(tensor.Entry{Name: "scores", Tensor: t})
		return []*tensor.Set{set}
	}
	found, err := decisions.Judge(decisions.TopK{K: 1, Margin: 0.05},
		scores(0.484375, 0.5, 0, 0.125, 0.875, 0), scores(0.5, 0.484375, 0, 0.875, 0.125, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("pass:", found.Pass)
	for _, f := range found.Flips {
		fmt.Println(f.Where, "margin", f.Margin, "excused:", f.Excused)
	}
	// Output:
	// pass: false
	// row 1 margin 0.75 excused: false
	// row 0 margin 0.015625 excused: true
}
