package names_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/names"
)

func TestNothingControlsATerminalOrABuildServer(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext: größer ≤ 1, ::x, ## y, #[1]\n": "plain\ttext: größer ≤ 1, ::x, ## y, #[1]\n",
		"\x1b[31mred\x1b]0;title\x07":                `\u001b[31mred\u001b]0;title\u0007`,
		"\r\x7f\u009b2J\u2028\u202e\ufeff":           `\u000d\u007f\u009b2J\u2028\u202e\ufeff`,
		"\x9b2J \U000e0001":                          `\x9b2J \udb40\udc01`,
		"\ufffe\uffff\ufdd0":                         `\ufffe\uffff\ufdd0`,
		"::error::x\n  ::set-output name=y":          "\\u003a:error::x\n  \\u003a:set-output name=y",
		"\u00a0\u3000::error::x":                     "\u00a0\u3000\\u003a:error::x",
		"###vso[task.x] ##[error] ##teamcity[ok]": `#\u0023#vso[task.x] \u0023#[error] ` +
			`\u0023#teamcity[ok]`,
	} {
		if got := names.Escape(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
		var back string // the JSON value is unchanged
		quoted, err := json.Marshal(text)
		if err == nil {
			err = json.Unmarshal([]byte(names.Escape(string(quoted))), &back)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); err != nil || back != want {
			t.Errorf("%q comes back from JSON as %q, %v", want, back, err)
		}
	}
}

func TestANameStaysInItsLine(t *testing.T) {
	for name, want := range map[string]string{
		"logits:0": "logits:0", "a::b": "a::b", "n\nFORGED": `n\nFORGED`,
		"::error::x": `\u003a:error::x`, "n\r\n::x\x1b": `n\u000d\n::x\u001b`,
	} {
		if got := names.Line(name); got != want {
			t.Errorf("%q is printed as %q, want %q", name, got, want)
		}
	}
}
