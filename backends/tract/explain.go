package tract

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// meanings classifies tract's errors by their text, because they have no codes. The texts are from
// tract 0.23. If a later release changes a text, that error is reported without an explanation.
var meanings = []refusals.Known{
	refusals.When(`Unimplemented\((\w+)\)`, backends.UnknownOperator,
		"operator $1 is not implemented"),
	refusals.When(`Unknown DatumType (\w+)`, backends.UnsupportedType, "tract has no element type $1"),
	refusals.When(`Unsupported DatumType in the public API (\w+)`, backends.UnsupportedType,
		"an output has type $1, which tract cannot return"),
	refusals.When(`(?i)as a const|be (?:a )?const|expects? (?:a )?const|not const|non const|`+
		`shape input is variable|typable only if|to be determined|be a known scalar|`+
		`inputs to be constants|[Nn]either sizes nor scales makes sense`, backends.NeedsConstant,
		"an operator needs a constant input, but its value is known only at run time"),
	refusals.When(`failed to decode Protobuf|does not contain a graph`, backends.InvalidModel,
		"the model is damaged, or is not an ONNX model"),
	refusals.When(`Could not resolve inputs at top-level: (.*)`, backends.InvalidModel,
		"nodes read $1, which nothing produces"),
}

// engineName is the engine's name in messages.
const engineName = "tract"

// explain turns an error of the library into a [*backends.Refusal]. Other errors stay unchanged.
func explain(err error) error {
	var refused *abi.Error
	if !errors.As(err, &refused) {
		return err
	}
	return refusals.Explain(engineName, meanings, refused.Message, nil)
}

// unsupported returns the error for an input or an output that tract does not support.
func unsupported(what string, v loaders.Value) error {
	return refusals.New(engineName, backends.UnsupportedType, "%s %s: tract supports only tensors of "+
		"bool, int8 to int64, uint8 to uint64, float16, float32 and float64", what, v)
}
