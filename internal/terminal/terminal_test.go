package terminal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/internal/terminal"
)

func TestWhatIsNoTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	if terminal.Is(new(bytes.Buffer)) || terminal.Colourful(new(bytes.Buffer)) {
		t.Error("a buffer is taken for a terminal")
	}
	for _, f := range []*os.File{null, file, write} {
		if terminal.Is(f) || terminal.Colourful(f) {
			t.Errorf("%s is taken for a terminal", f.Name())
		}
	}
}
