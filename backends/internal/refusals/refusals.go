// Package refusals explains the errors of engines by their text, because their codes say less.
package refusals

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/pattern"
)

// Known is an engine's error that can be explained.
type Known struct {
	answer  *pattern.Pattern
	reason  backends.Reason
	meaning string
}

// When returns the explanation of errors that match a regular expression. In meaning, $1, $2 …
// stand for the expression's groups.
func When(answer string, reason backends.Reason, meaning string) Known {
	return Known{pattern.New(answer), reason, meaning}
}

// New returns a refusal that the backend itself decides on.
func New(engine string, reason backends.Reason, format string, args ...any) *backends.Refusal {
	return &backends.Refusal{Engine: engine, Reason: reason, Meaning: fmt.Sprintf(format, args...)}
}

// Explain returns the refusal of the engine with the given name. The reason is [backends.Refused]
// if no known error matches the answer, for example because a later release changed its text.
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
