// Package hostile contains names with which a file tries to control a terminal or a build server
// that prints them.
package hostile

import "regexp"

// Names are hostile names for tensors, nodes, models and files. If printed unescaped, each would
// control a terminal or a build server, or forge a line of output.
var Names = []string{"e\x1b[31m\x1b]0;t\x07\u009b2J\u202e", "::error::x", "##vso[task.x]",
	"##[error]x", "n\n::set-output name=a::b", "n\nFORGED", "\r::warning::x", "  ::debug::x",
	"z\u200b\u2066\u2028x", "##teamcity[x]"}

// controls matches text that must never be printed.
var controls = regexp.MustCompile("(?m)[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f" +
	"\u2028-\u202e\u2060-\u206f\ufeff]|" + `^\s*::[a-z]|##[a-z]*\[|^\s*FORGED`)

// Found returns the part of text that would control a terminal or build server, or "" if there is
// none.
func Found(text string) string {
	at := controls.FindStringIndex(text)
	if at == nil {
		return ""
	}
	return text[max(0, at[0]-30):min(len(text), at[1]+30)]
}
