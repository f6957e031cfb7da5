package backends_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Whoever writes an engine gets the loop over iterations, its errors and the run's provenance from
// Collect.
func ExampleCollect() {
	double := func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
		n, _ := in.Get("x")
		y := tensor.Scalar(2 * int64(n.Float64At(0)))
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: y})
	}
	run, err := backends.Collect(context.Background(),
		backends.Provenance{Backend: "doubler", Version: "1.0"}, backends.Subject{}, three, double)
	if err != nil {
		log.Fatal(err)
	}
	for _, set := range run.Outputs() {
		fmt.Println(run.Provenance, set.GomegaString())
	}
	// Output:
	// doubler 1.0 y: int64[] [0]
	// doubler 1.0 y: int64[] [2]
	// doubler 1.0 y: int64[] [4]
}
