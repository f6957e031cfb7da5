package terminal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/modelparity/modelparity/internal/terminal"
)

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

func TestATypedNameStaysInItsLine(t *testing.T) {
	var out bytes.Buffer
	e := terminal.NewEscaped(&out, "run", "--load-inputs", "a/n\nFORGED.json", "a\n/\n", "two\nlines")
	for _, text := range []string{"open /x/a/n\nFORGED.json: no\n", "saved n\nFORGED.npz\n",
		"two\nlines"} {
		if n, err := e.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	_ = e.Flush()
	want := `open /x/a/n\nFORGED.json: no` + "\n" + `saved n\nFORGED.npz` + "\n" + `two\nlines`
	if want != out.String() {
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
