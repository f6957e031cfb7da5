package ort_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// An engine is a value: it is compared, printed, and opened any number of times. What is wrong with
// its options is told when it is opened.
func ExampleEngine() {
	fast := ort.Engine(ort.Threads(4), ort.OptimizationLevel(ort.OptimizeAll))
	fmt.Println(fast)
	fmt.Printf("%#v\n", fast)
	fmt.Println(fast == ort.Engine(ort.Threads(4)), "the optimisation level is the default")

	model := loaders.ONNX("testdata/identity_float.onnx")
	_, err := ort.Engine(ort.Threads(-1)).Open(context.Background(), model, fixtures.Inputs{})
	fmt.Println(strings.ReplaceAll(err.Error(), "; ", ";\n"))
	// Output:
	// onnxruntime Threads(4)
	// ort.Engine(ort.Threads(4))
	// true the optimisation level is the default
	// onnxruntime: ort.Threads(-1): the number must be between 0 and 1024;
	// with 0, ONNX Runtime chooses it from the number of cores
}
