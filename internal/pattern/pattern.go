// Package pattern compiles regular expressions on first use. Expressions that parse an engine's
// errors are seldom needed, and compiling all of them would delay the start of the program by half
// a millisecond.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct {
	Regexp func() *regexp.Regexp // returns the compiled expression
}

// New returns a pattern; text must be a valid expression.
func New(text string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}
