// Command modelparity runs ONNX models and compares their outputs. Its flags are Polygraphy's:
//
//	modelparity run model.onnx --onnxrt --load-outputs expected.json
//	modelparity compare actual.json expected.json --atol 1e-3
//
// The exit status is 0 if everything is equal within its tolerances, 1 if something differs, and 2
// if nothing could be compared: a bad flag, an unreadable file, a model that does not run.
package main

import (
	"os"

	"github.com/modelparity/modelparity/internal/cli"
)

func main() { os.Exit(cli.Main()) }
