package tract

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Step is where tract refuses a model.
type Step string

// The steps.
const (
	Parsing   Step = "parsing"   // the file
	Declaring Step = "declaring" // the type or the shape of an input
	Typing    Step = "typing"    // the types and shapes of all tensors, where operators are looked up
	Preparing Step = "preparing" // optimising
	Running   Step = "running"
)

// Error is what tract answered.
type Error struct {
	Step    Step
	Message string // one line
}

func (e *Error) Error() string { return e.Message }

// ErrClosed is returned by a runnable that was closed.
var ErrClosed = errors.New("the runnable is closed")

// numbered is the number of a cause in a chain of them.
var numbered = pattern.New(`^\d+: `)

// oneLine makes a line of an answer. tract gives the error, a heading and the causes below it,
// a line each, and a stack trace where the environment asks for one.
func oneLine(answer string) string {
	answer, _, _ = strings.Cut(answer, "\nStack backtrace:")
	var parts []string
	for line := range strings.Lines(answer) {
		line = numbered.Regexp().ReplaceAllString(strings.TrimSpace(line), "")
		if line != "" && line != "Caused by:" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, ": ")
}
