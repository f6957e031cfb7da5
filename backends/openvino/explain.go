package openvino

import (
	"context"
	"errors"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/pattern"
)

// meanings classifies the library's errors by their text, because nearly all of them have the code
// GENERAL_ERROR. The texts are from OpenVINO 2026.4. If a later release changes a text, that error
// is reported without an explanation.
var meanings = []refusals.Known{
	refusals.When(`No conversion rule found for operations: ([^-,\s][^,\s]*(?:, [^,\s]+)*)`,
		backends.UnknownOperator, "OpenVINO has no operator $1"),
	refusals.When(`Conversion is failed for: ([^,\s]+(?:, [^,\s]+)*)`,
		backends.NoKernel, "OpenVINO cannot convert the operator $1"),
	refusals.When(`Unsupported data type (\w+) expected`,
		backends.NoKernel, "OpenVINO has no element type $1"),
	refusals.When(`(\S+) node not found in graph cache`,
		backends.InvalidModel, "a node reads $1, which nothing produces"),
	refusals.When(`Unable to read the model|[Ff]ile is empty|Error during import of ONNX `+
		`model|Could not open the file`, backends.InvalidModel, ""),
	refusals.When(`Can't set the input tensor`, backends.WrongInput, ""),
}

// noise matches the parts of an error that do not help the user: positions in OpenVINO's source
// code and links to its documentation.
var noise = pattern.New(`(?m)^Exception from src/\S+:\s*$|` +
	`Check '[^\n]*' failed at src/\S+:|` + `^FrontEnd API failed with \w+:|` +
	`To facilitate the conversion of unsupported operations, refer to \S.*$`)

// engineName is the engine's name in messages.
const engineName = "OpenVINO"

// explain turns an error of the library into a [*backends.Refusal]. Other errors, such as the end
// of a context, stay unchanged.
func explain(err error) error {
	var answered *abi.Error
	if !errors.As(err, &answered) || errors.Is(err, context.Canceled) ||
		errors.Is(err, backends.ErrClosed) {
		return err
	}
	answer := strings.Join(strings.Fields(noise.Regexp().ReplaceAllString(err.Error(), " ")), " ")
	return refusals.Explain(engineName, meanings, answer, err)
}
