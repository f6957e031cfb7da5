package terminal_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/terminal"
)

// terminalOf opens a pseudo-terminal: what is written to slave is read from master.
func terminalOf(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this machine gives out no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("this machine gives out no pseudo-terminal: ", err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("this machine gives out no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

func TestATerminal(t *testing.T) {
	_, slave := terminalOf(t)
	for _, row := range []struct {
		reason, term, noColor string
		is, colourful         bool
	}{
		{"a terminal", "xterm-256color", "", true, true},
		{"one of a user who wants no colour", "xterm-256color", "1", true, false},
		{"one that shows escape sequences as they are", "dumb", "", false, false},
	} {
		t.Setenv("TERM", row.term)
		t.Setenv("NO_COLOR", row.noColor)
		if got := terminal.Is(slave); got != row.is {
			t.Errorf("%s: Is is %v", row.reason, got)
		}
		if got := terminal.Colourful(slave); got != row.colourful {
			t.Errorf("%s: Colourful is %v", row.reason, got)
		}
	}
}

func TestABar(t *testing.T) {
	t.Setenv("TERM", "xterm")
	master, slave := terminalOf(t)
	bar := terminal.NewBar(slave)
	bar.Clear() // nothing was shown
	bar.Show("pairing, 1s", 0, 0)
	bar.Show("comparing: 40 of 160", 40, 160) // too soon after the first
	time.Sleep(60 * time.Millisecond)
	bar.Show("comparing: 40 of 160", 40, 160)
	bar.Show("\x1b[2J", 3, 3)
	bar.Clear()
	const end = "end" // a read may give a part of what was written
	fmt.Fprint(slave, end)
	text, part := "", make([]byte, 1<<12)
	for !strings.HasSuffix(text, end) {
		n, err := master.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		text += string(part[:n])
	}
	const line = "\r\x1b[K"
	want := line + "[------------------------] pairing, 1s" +
		line + "[######------------------] comparing: 40 of 160" +
		line + "[########################] " + names.Escape("\x1b[2J") + line
	if got := strings.TrimSuffix(text, end); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var elsewhere strings.Builder
	other := terminal.NewBar(&elsewhere)
	other.Show("actual", 1, 2)
	other.Clear()
	if elsewhere.Len() > 0 {
		t.Errorf("%q was written, but this is not a terminal", elsewhere.String())
	}
}
