package ort

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/pattern"
)

// Reason says why ONNX Runtime rejected a model or a run.
type Reason string

// The reasons.
const (
	UnknownOperator Reason = "unknown operator"
	NoKernel        Reason = "no kernel"
	InvalidModel    Reason = "invalid model"
	TooNew          Reason = "model too new"
	NoProvider      Reason = "no provider"
	WrongInput      Reason = "wrong input"
	NoLocale        Reason = "no locale"
	WrongCustomOps  Reason = "wrong custom operators"
	Other           Reason = "refused"
)

// Error is an error of ONNX Runtime with an explanation in plain words.
type Error struct {
	Reason  Reason
	Meaning string // the explanation
	Answer  string // the library's text; "" if this package found the error itself
	cause   error

	fallback bool // nodes would have to run on the CPU
}

func (e *Error) Error() string {
	switch {
	case e.Meaning == "":
		return e.Answer
	case e.Answer == "":
		return e.Meaning
	}
	return e.Meaning + " (ONNX Runtime says: " + e.Answer + ")"
}

func (e *Error) Unwrap() error { return e.cause }

// meanings classifies the library's errors by their text, because the error codes say less: most
// are plain "FAIL". The texts are from ONNX Runtime 1.31. If a later release changes a text, the
// error is classified as Other.
var meanings = []struct {
	answer  *pattern.Pattern
	reason  Reason
	meaning string // $1, $2 … are replaced by the pattern's groups
}{
	{pattern.New(`No Op registered for (\S+) with domain_version of (\d+)`),
		UnknownOperator, "operator $1 is not known in opset $2"},
	{pattern.New(`([\w.]+:\w+)\(-1\) is not a registered function/op`),
		UnknownOperator, "operator $1 is not known; name the library that has it with ort.CustomOps, " +
			"or --custom-ops"},
	{pattern.New(`Could not find an implementation for (\w+)\((\d+)\)`),
		NoKernel, "operator $1 of opset $2 is not implemented, at least not for these types"},
	{pattern.New(`Failed to find kernel for (\w+)\((\d+)\)`),
		NoKernel, "operator $1 of opset $2 is not implemented for these types"},
	{pattern.New(`Unsupported model IR version: (\d+), max supported IR version: (\d+)`),
		TooNew, "the model has IR version $1, but the newest supported is $2"},
	{pattern.New(`Opset (\d+) is under development`),
		TooNew, "opset $1 is unfinished in this ONNX Runtime, and " +
			"ALLOW_RELEASED_ONNX_OPSET_ONLY=0 admits it"},
	{pattern.New(`Protobuf parsing failed|No graph was found in the protobuf`),
		InvalidModel, "the model is damaged, or is not an ONNX model"},
	{pattern.New(`Node input '([^']*)' is not a graph input`),
		InvalidModel, "a node reads $1, which nothing produces"},
	{pattern.New(`No opset import for domain '(.*?)'`),
		InvalidModel, "the model uses domain $1 without importing it"},
	{pattern.New(`Type \((.+?)\) of output arg \((.+?)\).*expected type \((.+?)\)\.`),
		InvalidModel, "output $2 is declared as $1, but is $3"},
	{pattern.New(`provider (\S+): this build of ONNX Runtime has only`),
		NoProvider, ""},
	{pattern.New(`provider (\S+): `),
		NoProvider, "$1 does not start, and falling back to the CPU is not allowed"},
	{fallback, NoProvider, ""}, // fallsBack names the nodes
	{pattern.New(`Failed to construct locale with name:(([\w-]+)[\w.-]*)`),
		NoLocale, "the system has no locale $1, which a node asks for; install the system's locales " +
			"(Debian's package locales-all), or run localedef -i $2 -f UTF-8 DIR/$1 and set LOCPATH=DIR"},
	{pattern.New(`Invalid (?:input|output) name|Unexpected input data type|` +
		`Got invalid dimensions for input|Invalid rank for input|Missing Input`), WrongInput, ""},
}

// fallback matches the error for a node that could run only on the CPU provider although the
// options do not name that provider.
var fallback = pattern.New(`fallback to CPU EP has been explicitly disabled`)

// prefixes lists the texts that the binding and the library prepend to every error.
var prefixes = []string{"Error creating C session: ", "Error creating C session from file: ",
	"Load model from  failed:", "Exception during loading: ", "Exception during initialization: "}

// source matches the position in ONNX Runtime's source code and the error code, which do not help
// the user.
var source = pattern.New(`/onnxruntime_src/\S+:\d+ [^[]*\[ONNXRuntimeError\] : \d+ : \w+ : `)

// answerOf returns the library's error as one line.
func answerOf(err error) string {
	answer := err.Error()
	for _, prefix := range prefixes {
		answer = strings.TrimPrefix(answer, prefix)
	}
	return source.Regexp().ReplaceAllString(strings.Join(strings.Fields(answer), " "), "")
}

// explain turns an error of the library into an [*Error].
func explain(err error) *Error {
	var library *onnxruntime.CustomOpsError
	if errors.As(err, &library) {
		return explainCustomOps(library)
	}
	answer := answerOf(err)
	for _, m := range meanings {
		if found := m.answer.Regexp().FindStringSubmatchIndex(answer); found != nil {
			meaning := m.answer.Regexp().ExpandString(nil, m.meaning, answer, found)
			return &Error{m.reason, string(meaning), answer, err, m.answer == fallback}
		}
	}
	return &Error{Reason: Other, Answer: answer, cause: err}
}
