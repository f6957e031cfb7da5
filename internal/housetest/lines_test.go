package housetest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// columns is how wide a line of code may be; a tab counts as one column.
const columns = 100

func TestLinesFitTheWidth(t *testing.T) {
	for _, name := range sources(t, ".go", ".c", ".h", ".py", ".sh") {
		file, err := os.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<20)
		for number := 1; scanner.Scan(); number++ {
			if width := utf8.RuneCount(scanner.Bytes()); width > columns {
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
