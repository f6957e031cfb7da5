package cli

import (
	"bytes"
	"testing"
)

func TestPaint(t *testing.T) {
	const red, green, yellow, end = "\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
	text := "FAIL  y\n  FAIL inside a line\npass  x\npassing by\nnote: n\n→  4  t\nFAILED: 1\n"
	want := red + "FAIL" + end + "  y\n  FAIL inside a line\n" + green + "pass" + end +
		"  x\npassing by\n" + yellow + "note:" + end + " n\n" + red + "→" + end + "  4  t\n" +
		red + "FAILED" + end + ": 1\n"
	if got := paint(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBar(t *testing.T) {
	if tell, wipe := bar(new(bytes.Buffer)); tell != nil {
		t.Error("a bar without a terminal")
	} else {
		wipe()
	}
}
