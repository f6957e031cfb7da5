package process_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// A program is an engine like any other: a value that is compared, printed and opened. One that
// cannot be started is an error with its name.
func ExampleEngine() {
	original := process.Engine(process.Script("original.py"))
	fmt.Printf("%#v\n", original)
	fmt.Println(original == process.Engine(process.Script("original.py")))

	model := loaders.ONNX("../ort/testdata/identity_float.onnx")
	_, err := process.Run(context.Background(), model, fixtures.Random(model),
		process.Command("no-such-program"))
	fmt.Println(strings.ReplaceAll(err.Error(), "; ", ";\n"))
	// Output:
	// process.Engine(process.Script("original.py"))
	// true
	// process is missing: no-such-program: executable file not found in $PATH;
	// install the program, or pass its path
}
