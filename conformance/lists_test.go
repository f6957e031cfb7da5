package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readList reads a table of tab-separated columns named by head, the first of which is a case.
// Lines starting with # are comments. take converts a line or returns an error.
func readList[V any](path, head string, take func(columns []string) (V, error)) (
	map[string]V, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	listed := map[string]V{}
	number, want := 0, strings.Count(head, ", ")+2 // "case, stage and reason" has three
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != want {
			return nil, fmt.Errorf("%s:%d: want %s, separated by tabs", path, number, head)
		}
		if _, twice := listed[columns[0]]; twice {
			return nil, fmt.Errorf("%s:%d: %s is listed twice", path, number, columns[0])
		}
		value, err := take(columns)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", path, number, columns[0], err)
		}
		listed[columns[0]] = value
	}
	return listed, nil
}

// TestListsAreRefused checks that each reader rejects lists with one mistake.
func TestListsAreRefused(t *testing.T) {
	outcomes := func(path string) error { _, err := readOutcomes(path); return err }
	exceptions := func(path string) error { _, err := readExceptions(path); return err }
	disagreements := func(path string) error { _, err := readDisagreements(path); return err }
	for _, row := range []struct {
		read       func(path string) error
		text, want string
	}{
		{outcomes, "test_abs\tpass\t\n", "1: test_abs: unknown stage pass; want one of"},
		{outcomes, "test_abs\trun\n", "1: want case, stage and reason"},
		{outcomes, "# text\ntest_abs\trun\ta\ntest_abs\trun\tb\n", "3: test_abs is listed twice"},
		{exceptions, "test_abs\topset\trun\n", "1: want case, needs, stage and reason"},
		{exceptions, "a\topset\trun\twhy\na\tlocale\trun\twhy\n", "2: a is listed twice"},
		{exceptions, "a\tluck\trun\twhy\n", "1: a: unknown need luck"},
		{exceptions, "a\topset\tpass\twhy\n", "1: a: unknown stage pass"},
		{disagreements, "test_abs\tonnx | ort\tort\n", "1: want case, camps"},
		{disagreements, "test_abs\tonnx | ort\tort\t\n", "1: test_abs: the evidence is missing"},
		{disagreements, "a\tonnx | ort\ttract\twhy\n", "1: a: tract is wrong, but is in no camp"},
		{disagreements, "# text\na\tonnx | ort\tort\twhy\na\tonnx | ort\tnobody\twhy\n",
			"3: a is listed twice"},
	} {
		path := filepath.Join(t.TempDir(), "list.tsv")
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := row.read(path); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: %v, want %q", row.text, err, row.want)
		}
	}
}
