package housetest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is how wide a line of code may be, and proseColumns one of Markdown; a tab counts as one
// column.
const (
	columns      = 100
	proseColumns = 120
)

func TestLinesFitTheWidth(t *testing.T) {
	fit(t, columns, func(string) bool { return true }, ".go", ".c", ".h", ".py", ".sh")
}

// TestProseFitsTheWidth leaves out what cannot be broken: tables, and code.
func TestProseFitsTheWidth(t *testing.T) {
	fenced := false
	fit(t, proseColumns, func(line string) bool {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
		}
		return !fenced && !strings.HasPrefix(text, "|") && !strings.HasPrefix(line, "    ")
	}, ".md")
	if fenced {
		t.Error("a fence of code is never closed, so what follows it was not looked at")
	}
}

// fit holds those lines of the files with one of the extensions to a width that are asked for.
// It shows every line to asked, in the order of the file.
func fit(t *testing.T, columns int, asked func(line string) bool, extensions ...string) {
	t.Helper()
	for _, name := range sources(t, extensions...) {
		file, err := os.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<20)
		for number := 1; scanner.Scan(); number++ {
			width := utf8.RuneCount(scanner.Bytes())
			if asked(scanner.Text()) && width > columns {
				t.Errorf("%s:%d: %d columns, at most %d fit", name, number, width, columns)
			}
		}
		if err := scanner.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
