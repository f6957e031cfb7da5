//go:build linux || darwin

package isolated_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// An engine that ends its process fails the run, and the program goes on. This one is made for the
// purpose; a real one is isolated.Engine(tract.Engine()).
func ExampleEngine() {
	x, _ := tensor.New(tensor.Shape{1, 3}, []float32{1, 2, 3})
	set, _ := tensor.NewSet(tensor.Entry{Name: "minuend", Tensor: x},
		tensor.Entry{Name: "subtrahend", Tensor: x})

	_, err := isolated.Run(context.Background(), faulty("run 0: exit"), difference(), fixtures.Of(set))
	var crash *isolated.Crash
	if errors.As(err, &crash) {
		fmt.Println(crash.Doing)
		fmt.Println(crash.Cause)
	}
	fmt.Printf("%v\n", isolated.Engine(faulty("")))
	// Output:
	// running iteration 0 of net.onnx
	// its process exited with status 3
	// faulty, isolated
}
