package tract_test

import (
	"fmt"

	"github.com/modelparity/modelparity/backends/tract"
)

// An engine is a value with its options: it is compared and printed without tract's library.
func ExampleEngine() {
	half := tract.Engine(tract.FP16())
	fmt.Println(half)
	fmt.Printf("%#v\n", half)
	fmt.Println(half == tract.Engine(tract.FP16()), half == tract.Engine())
	// Output:
	// tract FP16
	// tract.Engine(tract.FP16())
	// true false
}
