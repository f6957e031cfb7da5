package openvino

import (
	"context"
	"errors"
	"strings"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/pattern"
)

// Reason says why OpenVINO rejected a model or a run.
type Reason string

// The reasons.
const (
	UnknownOperator Reason = "unknown operator"
	NoKernel        Reason = "no kernel"
	InvalidModel    Reason = "invalid model"
	NoPrecision     Reason = "no such precision"
	WrongInput      Reason = "wrong input"
	Other           Reason = "refused"
)

// Error is an error of OpenVINO with an explanation in plain words.
type Error struct {
	Reason  Reason
	Meaning string // the explanation
	Answer  string // the library's text; "" if this package found the error itself
	cause   error
}

func (e *Error) Error() string {
	switch {
	case e.Meaning == "":
		return e.Answer
	case e.Answer == "":
		return e.Meaning
	}
	return e.Meaning + " (OpenVINO says: " + e.Answer + ")"
}

func (e *Error) Unwrap() error { return e.cause }

// meanings classifies the library's errors by their text, because nearly all of them have the code
// GENERAL_ERROR. The texts are from OpenVINO 2026.4. If a later release changes a text, the error
// is classified as Other.
var meanings = []struct {
	answer  *pattern.Pattern
	reason  Reason
	meaning string // $1, $2 … are replaced by the pattern's groups
}{
	{pattern.New(`No conversion rule found for operations: ([^-,\s][^,\s]*(?:, [^,\s]+)*)`),
		UnknownOperator, "OpenVINO has no operator $1"},
	{pattern.New(`Conversion is failed for: ([^,\s]+(?:, [^,\s]+)*)`),
		NoKernel, "OpenVINO does not convert the operator $1"},
	{pattern.New(`Unsupported data type (\w+) expected`),
		NoKernel, "OpenVINO has no element type $1"},
	{pattern.New(`(\S+) node not found in graph cache`),
		InvalidModel, "a node reads $1, which nothing produces"},
	{pattern.New(`Unable to read the model|[Ff]ile is empty|Error during import of ONNX ` +
		`model|Could not open the file`), InvalidModel, ""},
	{pattern.New(`Can't set the input tensor`), WrongInput, ""},
}

// noise matches parts of an error that do not help the user: the position in OpenVINO's source code
// and links to its manual.
var noise = pattern.New(`(?m)^Exception from src/\S+:\s*$|` +
	`Check '[^\n]*' failed at src/\S+:|` + `^FrontEnd API failed with \w+:|` +
	`To facilitate the conversion of unsupported operations, refer to \S.*$`)

// answerOf returns the library's error as one line.
func answerOf(err error) string {
	return strings.Join(strings.Fields(noise.Regexp().ReplaceAllString(err.Error(), " ")), " ")
}

// explain turns an error of the library into an [*Error]. Other errors, such as the end of a
// context, stay unchanged.
func explain(err error) error {
	var answered *abi.Error
	if !errors.As(err, &answered) || errors.Is(err, context.Canceled) ||
		errors.Is(err, backends.ErrClosed) {
		return err
	}
	answer := answerOf(err)
	for _, m := range meanings {
		if found := m.answer.Regexp().FindStringSubmatchIndex(answer); found != nil {
			meaning := m.answer.Regexp().ExpandString(nil, m.meaning, answer, found)
			return &Error{m.reason, string(meaning), answer, err}
		}
	}
	return &Error{Reason: Other, Answer: answer, cause: err}
}
