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

// When returns a Known for errors whose text matches the regular expression answer. meaning
// explains the error; in it, $1, $2 and so on are replaced by the groups of the match.
func When(answer string, reason backends.Reason, meaning string) Known {
	return Known{pattern.New(answer), reason, meaning}
}

// New returns the refusal of a model or a run that the backend rejects itself, without asking the
// engine.
func New(engine string, reason backends.Reason, format string, args ...any) *backends.Refusal {
	return &backends.Refusal{Engine: engine, Reason: reason, Meaning: fmt.Sprintf(format, args...)}
}

// Explain returns the refusal for an error of the named engine. answer is the error's text. If it
// matches none of the known errors, for example because a later release of the engine changed the
// text, the reason is [backends.Refused] and there is no explanation.
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

// NameFunctions adds a remedy to err if err rejects an unknown operator and the model defines its
// own functions: to inline the functions. model may be nil.
func NameFunctions(err error, model *loaders.Model) {
	r, is := errors.AsType[*backends.Refusal](err)
	if is && r.Reason == backends.UnknownOperator && model != nil {
		r.Meaning += model.File().Unread()
	}
}
