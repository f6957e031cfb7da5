// Package wildcard matches names with the patterns of Python's fnmatch, which Polygraphy uses: *
// matches any characters including /, ? any single character, and [seq] and [!seq] are classes.
package wildcard

import (
	"regexp"
	"strings"
)

// Pattern is a literal name, or a wildcard pattern for names. The zero value matches only the empty
// name.
type Pattern struct {
	text   string
	regexp *regexp.Regexp // nil if text has no wildcard
}

// Compile parses a pattern. Every text is valid. As in fnmatch, an unclosed bracket matches itself,
// and so does a character class that cannot match any character.
func Compile(text string) Pattern {
	p := Pattern{text: text}
	if strings.ContainsAny(text, "*?[") {
		// regexp rejects a class such as [z-a], which matches nothing in fnmatch. The pattern then
		// matches only a name that is identical to it.
		p.regexp, _ = regexp.Compile(`(?s)\A` + expression(text) + `\z`)
	}
	return p
}

// Match reports whether name equals the pattern's text or matches it.
func (p Pattern) Match(name string) bool {
	return name == p.text || p.regexp != nil && p.regexp.MatchString(name)
}

// String returns the pattern's text.
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

// classEnd returns the index of the bracket that closes the class that begins at i, or -1. A
// bracket that is the first member of the class does not close it.
func classEnd(pattern string, i int) int {
	first := i + 1
	if first < len(pattern) && pattern[first] == '!' {
		first++
	}
	if first+1 > len(pattern) {
		return -1
	}
	end := strings.IndexByte(pattern[first+1:], ']')
	if end < 0 {
		return -1
	}
	return first + 1 + end
}

// class translates the inside of a bracket, where only the hyphen is special.
func class(members string) string {
	negate := ""
	if rest, found := strings.CutPrefix(members, "!"); found {
		negate, members = "^", rest
	}
	quote := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `^`, `\^`, `&`, `\&`)
	return "[" + negate + quote.Replace(members) + "]"
}
