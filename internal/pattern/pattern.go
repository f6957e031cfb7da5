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
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New returns a pattern; text must be a valid expression.
func New(text string) *Pattern { return &Pattern{text: text} }

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}
