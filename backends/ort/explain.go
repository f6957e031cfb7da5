package ort

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/pattern"
)

// meanings classifies the library's errors by their text, because the error codes say less: most
// are plain "FAIL". The texts are from ONNX Runtime 1.31. If a later release changes a text, that
// error is reported without an explanation.
var meanings = []refusals.Known{
	refusals.When(`No Op registered for (\S+) with domain_version of (\d+)`,
		backends.UnknownOperator, "opset $2 has no operator $1"),
	refusals.When(`([\w.]+:\w+)\(-1\) is not a registered function/op`,
		backends.UnknownOperator, "operator $1 is unknown; if it is a custom operator, pass its "+
			"library with ort.CustomOps"),
	refusals.When(`Could not find an implementation for (\w+)\((\d+)\)`,
		backends.NoKernel, "operator $1 of opset $2 is not implemented, at least not for these types"),
	refusals.When(`Failed to find kernel for (\w+)\((\d+)\)`,
		backends.NoKernel, "operator $1 of opset $2 is not implemented for these types"),
	refusals.When(`Unsupported model IR version: (\d+), max supported IR version: (\d+)`,
		backends.TooNew, "the model has IR version $1, but the newest supported is $2"),
	refusals.When(`Opset (\d+) is under development`,
		backends.TooNew, "opset $1 is still under development in this ONNX Runtime; to use it "+
			"anyway, set ALLOW_RELEASED_ONNX_OPSET_ONLY=0"),
	refusals.When(`Protobuf parsing failed|No graph was found in the protobuf`,
		backends.InvalidModel, "the model is damaged, or is not an ONNX model"),
	refusals.When(`Node input '([^']*)' is not a graph input`,
		backends.InvalidModel, "a node reads $1, which nothing produces"),
	refusals.When(`No opset import for domain '(.*?)'`,
		backends.InvalidModel, "the model uses domain $1 without importing it"),
	refusals.When(`Type \((.+?)\) of output arg \((.+?)\).*expected type \((.+?)\)\.`,
		backends.InvalidModel, "output $2 is declared as $1, but its type is $3"),
	refusals.When(`provider (\S+): this build of ONNX Runtime has only`,
		backends.NoProvider, ""),
	refusals.When(`Failed to get a WebGPU adapter`, backends.NoProvider,
		"the WebGPU plug-in finds no GPU; "+noAdapter),
	refusals.When(`provider (\S+): `,
		backends.NoProvider, "$1 does not start; modelparity does not fall back to the CPU"),
	refusals.When(`Invalid (?:input|output) name|Unexpected input data type|`+
		`Got invalid dimensions for input|Invalid rank for input|Missing Input`, backends.WrongInput, ""),
}

// prefixes lists the texts that the binding and the library prepend to every error.
var prefixes = []string{"Error creating C session: ", "Error creating C session from file: ",
	"Load model from  failed:", "Exception during loading: ", "Exception during initialization: "}

// source matches the position in ONNX Runtime's source code and the error code. explain drops both,
// because they do not help the user.
var source = pattern.New(`/onnxruntime_src/\S+:\d+ [^[]*\[ONNXRuntimeError\] : \d+ : \w+ : `)

// answerOf returns the library's error as one line.
func answerOf(err error) string {
	answer := err.Error()
	for _, prefix := range prefixes {
		answer = strings.TrimPrefix(answer, prefix)
	}
	return source.Regexp().ReplaceAllString(strings.Join(strings.Fields(answer), " "), "")
}

// engineName is the engine's name in messages.
const engineName = "ONNX Runtime"

// explain turns an error of the library into a [*backends.Refusal].
func explain(err error) *backends.Refusal {
	var library *onnxruntime.CustomOpsError
	if errors.As(err, &library) {
		return explainCustomOps(library)
	}
	answer := answerOf(err)
	return refusals.Explain(engineName, meanings, answer, err)
}
