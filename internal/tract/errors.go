package tract

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Step is the step in which tract rejected a model.
type Step string

// The steps.
const (
	Parsing   Step = "parsing"   // the file
	Declaring Step = "declaring" // the type or the shape of an input
	Typing    Step = "typing"    // types and shapes of all tensors; looks up operators
	Preparing Step = "preparing" // optimising
	Running   Step = "running"
)

// Error is an error of tract.
type Error struct {
	Step    Step
	Message string // one line
}

func (e *Error) Error() string { return e.Message }

// ErrClosed is returned by a closed runnable.
var ErrClosed = errors.New("the runnable is closed")

// numbered matches the number of a cause in a chain of causes.
var numbered = pattern.New(`^\d+: `)

// oneLine converts an error to one line. tract's error has a heading and one line per cause, and a
// stack trace if an environment variable requests it.
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
