package search_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

// Two engines agree on the suite's inputs but differ on greater ones. The search finds such an
// input and shrinks it.
func ExampleBetween() {
	zeros, _ := tensor.New(tensor.Shape{1, width}, make([]float32, width))
	set, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: zeros})
	in := func(faulty func(x []float32) bool) backends.Subject {
		return backends.Subject{Engine: engine(faulty), Model: net{}, Inputs: fixtures.Of(set)}
	}
	wrong := in(func(x []float32) bool { return len(x) > 0 && x[0] > 100 })
	found, err := search.Between(context.Background(), wrong, in(nil), search.Options{
		Rule:   compare.Options{Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Max)}},
		Trials: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := found.Inputs.Get("x")
	fmt.Println(found.Parts(), x.Shape(), x.Float64s()[0] > 100, x.Float64s()[1:])
	// Output: true [1,8] true [0 0 0 0 0 0 0]
}
