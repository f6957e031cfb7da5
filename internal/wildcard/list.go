package wildcard

import "strings"

// List is a list of patterns. It records which of its patterns have matched a name.
type List []*Listed

// Listed is a pattern that remembers whether it has matched a name.
type Listed struct {
	Pattern
	Said string // the pattern as the user wrote it
	Seen bool
}

// CompileAll compiles texts to a list of patterns.
func CompileAll(texts []string) List {
	list := make(List, len(texts))
	for i, text := range texts {
		list[i] = &Listed{Pattern: Compile(text), Said: text}
	}
	return list
}

// CompileOps compiles patterns for operators, which are matched in lower case.
func CompileOps(texts []string) List {
	list := CompileAll(texts)
	for _, p := range list {
		p.Pattern = Compile(strings.ToLower(p.Said))
	}
	return list
}

// Match reports whether any pattern matches name, and marks all patterns that match.
func (list List) Match(name string) bool {
	any := false
	for _, p := range list {
		if p.Match(name) {
			p.Seen, any = true, true
		}
	}
	return any
}
