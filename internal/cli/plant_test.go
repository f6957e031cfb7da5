package cli

import (
	"bytes"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// plant writes a model with a fault in the first number of one of its weights:
//
//	plant MODEL WEIGHT OUT
func plant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: plant MODEL WEIGHT OUT")
	}
	data, err := os.ReadFile(args[0])
	ts.Check(err)
	model, err := onnxwire.Scan(bytes.NewReader(data))
	ts.Check(err)
	for _, weight := range model.Graph.Initializers {
		if weight.Name == args[1] && weight.Data.Len() >= 4 {
			data[weight.Data.Start+3] ^= 0x40 // the exponent of a little-endian float
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o600))
			return
		}
	}
	ts.Fatalf("%s has no weight %q with raw data", args[0], args[1])
}
