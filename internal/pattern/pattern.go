// Package pattern is regular expressions that are compiled when they are first needed. Those that
// read an engine's refusals are seldom needed, and compiling all of them takes half a millisecond
// of every start.
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

// New is the pattern of an expression, which must be valid.
func New(text string) *Pattern { return &Pattern{text: text} }

// Regexp is the expression, compiled.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}
