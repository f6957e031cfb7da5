package trt_test

import (
	"fmt"

	"github.com/modelparity/modelparity/backends/trt"
)

// An engine is a value with its options: it is compared and printed without TensorRT or a GPU.
func ExampleEngine() {
	fast := trt.Engine(trt.FP16())
	fmt.Println(fast)
	fmt.Printf("%#v\n", fast)
	fmt.Println(fast == trt.Engine(trt.FP16()))
	// Output:
	// tensorrt FP16
	// trt.Engine(trt.FP16())
	// true
}
