package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/terminal"
)

func TestNothingControlsATerminalOrABuildServer(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext: größer ≤ 1, ::x, ## y, #[1]\n": "plain\ttext: größer ≤ 1, ::x, ## y, #[1]\n",
		"\x1b[31mred\x1b]0;title\x07":                `\u001b[31mred\u001b]0;title\u0007`,
		"\r\x7f\u009b2J\u2028\u202e\ufeff":           `\u000d\u007f\u009b2J\u2028\u202e\ufeff`,
		"\x9b2J \U000e0001":                          `\x9b2J \udb40\udc01`,
		"::error::x\n  ::set-output name=y":          "\\u003a:error::x\n  \\u003a:set-output name=y",
		"\u00a0\u3000::error::x":                     "\u00a0\u3000\\u003a:error::x",
		"###vso[task.x] ##[error] ##teamcity[ok]": `#\u0023#vso[task.x] \u0023#[error] ` +
			`\u0023#teamcity[ok]`,
	} {
		if got := terminal.Escape(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
		var back string // the JSON value is unchanged
		quoted, err := json.Marshal(text)
		if err == nil {
			err = json.Unmarshal([]byte(terminal.Escape(string(quoted))), &back)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); err != nil || back != want {
			t.Errorf("%q comes back from JSON as %q, %v", want, back, err)
		}
	}
}

func TestLinesAreEscapedAsAWhole(t *testing.T) {
	var out bytes.Buffer
	e := terminal.NewEscaped(&out)
	for _, part := range []string{"a\n ", ":", ":error\n", "#", "#vso[x] \xe2", "\x80\xa8"} {
		if n, err := e.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a\n \\u003a:error\n\\u0023#vso[x] \\u2028"; want != out.String() {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAFailedWriteIsKept(t *testing.T) {
	e := terminal.NewEscaped(full{})
	_, _ = e.Write([]byte("lost\n"))
	if err := e.Flush(); err == nil {
		t.Error("the failure is lost")
	}
}
