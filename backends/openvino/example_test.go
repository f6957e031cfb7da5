package openvino_test

import (
	"fmt"

	"github.com/modelparity/modelparity/backends/openvino"
)

// An engine is a value with its options: it is compared and printed without OpenVINO's library.
// Float32 and accuracy are the default, which is left out.
func ExampleEngine() {
	narrow := openvino.Engine(openvino.Precision(openvino.BFloat16), openvino.Threads(4))
	fmt.Println(narrow)
	fmt.Printf("%#v\n", narrow)
	fmt.Println(openvino.Engine(openvino.Precision(openvino.Float32)) == openvino.Engine())
	// Output:
	// openvino Precision(bfloat16), Threads(4)
	// openvino.Engine(openvino.Precision(openvino.BFloat16), openvino.Threads(4))
	// true
}
