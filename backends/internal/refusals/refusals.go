// Package refusals explains engines' errors by matching their texts, because error codes say less.
package refusals

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/pattern"
	"github.com/modelparity/modelparity/loaders"
)

// Known is a kind of engine error together with its explanation.
type Known struct {
	answer  *pattern.Pattern
	reason  backends.Reason
	meaning string
}

// When returns a Known for errors whose text matches answer, a regular expression. meaning explains
// the error; $1, $2 … in it are replaced by the groups of the match.
func When(answer string, reason backends.Reason, meaning string) Known {
	return Known{pattern.New(answer), reason, meaning}
}

// New returns a refusal for a model or a run that the backend itself rejects, without asking the
// engine.
func New(engine string, reason backends.Reason, format string, args ...any) *backends.Refusal {
	return &backends.Refusal{Engine: engine, Reason: reason, Meaning: fmt.Sprintf(format, args...)}
}

// Explain returns the refusal for an error of the named engine. answer is the text of the error. If
// it matches no known error, for example because a later release changed the text, the reason is
// [backends.Refused] and there is no explanation.
func Explain(engine string, known []Known, answer string, cause error) *backends.Refusal {
	r := &backends.Refusal{Engine: engine, Reason: backends.Refused, Answer: answer, Cause: cause}
	for _, k := range known {
		if found := k.answer.Regexp().FindStringSubmatchIndex(answer); found != nil {
			r.Reason = k.reason
			r.Meaning = string(k.answer.Regexp().ExpandString(nil, k.meaning, answer, found))
			break
		}
	}
	return r
}

// NameFunctions changes err if it is the refusal of an unknown operator: it adds that the engine
// does not read the functions that the model defines. model may be nil.
func NameFunctions(err error, model *loaders.Model) {
	r, is := errors.AsType[*backends.Refusal](err)
	if is && r.Reason == backends.UnknownOperator && model != nil {
		r.Meaning += model.File().Unread()
	}
}
