package fake_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// A fake gives what it is told to, and adds the faults of real engines.
func ExampleNew() {
	x, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2)})
	broken := fake.New(fake.Echo(), fake.Set("x", 1, 2.5))
	run, err := broken.Run(context.Background(), fixtures.Of(x))
	fmt.Println(run.Outputs()[0].GomegaString(), err)
	// Output:
	// x: float32[2] [1 2.5] <nil>
}
