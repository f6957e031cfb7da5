package wildcard_test

import (
	"testing"

	"github.com/modelparity/modelparity/internal/wildcard"
)

// What Python 3.11's fnmatch.fnmatchcase answers, except where a reason says otherwise.
func TestMatch(t *testing.T) {
	for _, row := range []struct {
		pattern, name string
		want          bool
		reason        string
	}{
		{"x", "x", true, "a plain name"},
		{"x", "xy", false, "a plain name is whole"},
		{"", "", true, "the empty name"},
		{"*", "", true, "a star is any run, an empty one too"},
		{"/layer*/out", "/layer1/sub/out", true, "a star crosses slashes"},
		{"x?", "xy", true, "one character"},
		{"x?", "x", false, "exactly one"},
		{"x\n?", "x\ny", true, "lines mean nothing"},
		{"[ab]c", "bc", true, "a class"},
		{"[!ab]c", "bc", false, "a negated class"},
		{"[!ab]c", "xc", true, "a negated class"},
		{"[a-c]", "b", true, "a range"},
		{"[]]", "]", true, "a bracket first in its class"},
		{"[!]]", "]", false, "a bracket first in a negated class"},
		{"[^a]", "^", true, "a caret is a member"},
		{`[\]`, `\`, true, "a backslash is a member"},
		{"x[", "x[", true, "an open bracket"},
		{"x[!", "x[!", true, "an open bracket"},
		{"x[0]", "x0", true, "a class"},
		{"x[0]", "x[0]", true, "unlike fnmatch: a name matches itself, whatever is in it"},
		{"a.b", "axb", false, "a dot is a dot"},
		{"?té*", "été", true, "a letter beyond ASCII is one character"},
		{"??té", "été", false, "and not two"},
		{"[éè]t", "èt", true, "letters beyond ASCII in a class"},
		{"[z-a]", "m", false, "an empty range"},
	} {
		if got := wildcard.Compile(row.pattern).Match(row.name); got != row.want {
			t.Errorf("%q against %q: %v, want %v: %s", row.pattern, row.name, got, row.want,
				row.reason)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add("a[!b-]*", "ac")
	f.Add("[", "[")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		wildcard.Compile(pattern).Match(name)
		if !wildcard.Compile(pattern).Match(pattern) {
			t.Errorf("%q does not match itself", pattern)
		}
	})
}
