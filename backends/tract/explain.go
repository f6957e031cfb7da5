package tract

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/pattern"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// Reason says why tract rejected a model or a run.
type Reason string

// The reasons.
const (
	UnknownOperator Reason = "unknown operator"
	UnsupportedType Reason = "unsupported type"
	NeedsConstant   Reason = "needs a constant"
	InvalidModel    Reason = "invalid model"
	NoRuntime       Reason = "no runtime"
	Other           Reason = "refused"
)

// Error is an error of tract with an explanation in plain words.
type Error struct {
	Reason  Reason
	Meaning string // the explanation; "" if tract's text is clear enough
	Answer  string // tract's text; "" if this package found the error itself
}

func (e *Error) Error() string {
	switch {
	case e.Meaning == "":
		return e.Answer
	case e.Answer == "":
		return e.Meaning
	}
	return e.Meaning + " (tract says: " + e.Answer + ")"
}

// meanings classifies tract's errors by their text, because they have no codes. The texts are from
// tract 0.23. If a later release changes a text, the error is classified as Other.
var meanings = []struct {
	answer  *pattern.Pattern
	reason  Reason
	meaning string // $1, $2 … are replaced by the pattern's groups
}{
	{pattern.New(`Unimplemented\((\w+)\)`), UnknownOperator, "operator $1 is not implemented"},
	{pattern.New(`Unknown DatumType (\w+)`), UnsupportedType, "tract has no element type $1"},
	{pattern.New(`Unsupported DatumType in the public API (\w+)`), UnsupportedType,
		"an output is of type $1, which tract does not return"},
	{pattern.New(`(?i)as a const|be (?:a )?const|expects? (?:a )?const|not const|non const|` +
		`shape input is variable|typable only if|to be determined|be a known scalar|` +
		`inputs to be constants|[Nn]either sizes nor scales makes sense`), NeedsConstant,
		"an operator needs an input that is known beforehand"},
	{pattern.New(`failed to decode Protobuf|does not contain a graph`), InvalidModel,
		"the model is damaged, or is not an ONNX model"},
	{pattern.New(`Could not resolve inputs at top-level: (.*)`), InvalidModel,
		"nodes read $1, which nothing produces"},
	{pattern.New(`Unknown runtime (\w+)`), NoRuntime, "this tract has no runtime $1"},
}

// explain turns an error of the library into an [*Error]. Other errors stay unchanged.
func explain(err error) error {
	var refused *abi.Error
	if !errors.As(err, &refused) {
		return err
	}
	answer := refused.Message
	for _, m := range meanings {
		if found := m.answer.Regexp().FindStringSubmatchIndex(answer); found != nil {
			meaning := m.answer.Regexp().ExpandString(nil, m.meaning, answer, found)
			return &Error{m.reason, string(meaning), answer}
		}
	}
	return &Error{Reason: Other, Answer: answer}
}

// unsupported returns the error for an input or an output that tract does not support.
func unsupported(what string, v loaders.Value) error {
	return &Error{Reason: UnsupportedType, Meaning: fmt.Sprintf(
		"%s %s: tract supports only tensors of bool, int8 to int64, uint8 to uint64, float16, "+
			"float32 and float64", what, v)}
}
