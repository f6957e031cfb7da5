// Package wildcard matches names against the patterns of Python's fnmatch, which Polygraphy's users
// write: * is any run of characters, / among them, ? is any one, [seq] and [!seq] are classes.
package wildcard

import (
	"regexp"
	"strings"
)

// Pattern is a name, or a pattern for names. The zero value matches only the empty name.
type Pattern struct {
	text   string
	regexp *regexp.Regexp // nil where text has no wildcard
}

// Compile reads a pattern. Every text is one: a bracket that nothing closes stands for itself, as
// in fnmatch, and so does a class that no name can match.
func Compile(text string) Pattern {
	p := Pattern{text: text}
	if strings.ContainsAny(text, "*?[") {
		// A class such as [z-a] is an error to regexp and matches nothing in fnmatch: without an
		// expression only the name that is written the same matches.
		p.regexp, _ = regexp.Compile(`(?s)\A` + expression(text) + `\z`)
	}
	return p
}

// Match reports whether name equals the pattern's text or matches it.
func (p Pattern) Match(name string) bool {
	return name == p.text || p.regexp != nil && p.regexp.MatchString(name)
}

// Wild reports whether the pattern can match several names.
func (p Pattern) Wild() bool { return p.regexp != nil }

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// expression translates a pattern to a regular expression.
func expression(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[':
			end := classEnd(pattern, i)
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(class(pattern[i+1 : end]))
			i = end
		case '\\', '.', '+', '(', ')', '|', '{', '}', '^', '$', ']':
			b.Write([]byte{'\\', c})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// classEnd is where the class that starts at i is closed, or -1. A bracket that is the first
// member of the class does not close it.
func classEnd(pattern string, i int) int {
	first := i + 1
	if first < len(pattern) && pattern[first] == '!' {
		first++
	}
	if first+1 > len(pattern) {
		return -1
	}
	end := strings.IndexByte(pattern[min(first+1, len(pattern)):], ']')
	if end < 0 {
		return -1
	}
	return first + 1 + end
}

// class translates the inside of a bracket; only a minus keeps a meaning of its own.
func class(members string) string {
	negate := ""
	if rest, found := strings.CutPrefix(members, "!"); found {
		negate, members = "^", rest
	}
	quote := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `^`, `\^`, `&`, `\&`)
	return "[" + negate + quote.Replace(members) + "]"
}
