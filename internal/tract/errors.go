package tract

import (
	"errors"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Error is an error of tract.
type Error struct {
	Message string // one line
}

func (e *Error) Error() string { return e.Message }

// symbolConflict matches the error for a tensor whose declared size is a symbol but whose inferred
// size is a number.
var symbolConflict = pattern.New(`Impossible to unify .*\bSym\(`)

// IsSymbolConflict reports whether tract rejected a model because the model declares a symbol for a
// size that tract knows from the inputs.
func IsSymbolConflict(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && symbolConflict.Regexp().MatchString(refused.Message)
}

// ErrClosed is the error that methods of a closed runnable return.
var ErrClosed = errors.New("the runnable is closed")

// numbered matches the start of a line of tract's errors, which list the causes with numbers.
var numbered = pattern.New(`^\d+: `)

// oneLine returns an error of tract as one line. The original has a heading and one line per cause,
// and a stack trace if an environment variable requests it.
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
