package twin_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/twin"
)

// On the twin's integers float32 is exact in any order of additions, so that two engines need no
// tolerance.
func ExampleAmong() {
	if ort.Available() != nil {
		fmt.Println("true: exact, exact") // this machine has no ONNX Runtime
		return
	}
	ctx := context.Background()
	report, err := twin.Among(ctx, digits(ctx), ort.Engine(), ort.Engine(ort.Threads(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %s, %s\n", report.Passes(), report.Sides[0].Precision.Arithmetic,
		report.Sides[1].Precision.Arithmetic)
	// Output: true: exact, exact
}
