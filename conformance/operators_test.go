package conformance_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docs/evidence/operators.md describes each engine's support for ONNX's operators. It is generated
// from the lists of exceptions, which runs of the node cases verify, and from the list of the
// cases' operators, so it needs neither an engine nor the wheel.

// writeOperators makes the test write the table, for `make operators`.
var writeOperators = flag.Bool("operators.write", false,
	"write docs/evidence/operators.md, and testdata/cases.tsv if "+wheelVariable+" names the wheel")

const (
	operatorsPage = "../docs/evidence/operators.md"
	casesList     = "testdata/cases.tsv"
)

// column is an engine in the table with the stages of its failing cases.
type column struct {
	title  string
	listed map[string]stage
}

func TestOperatorTable(t *testing.T) {
	if os.Getenv(wheelVariable) != "" {
		held(t, casesList, operatorsOf(archived(t)))
	}
	text, err := os.ReadFile(casesList)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := columns()
	if err != nil {
		t.Fatal(err)
	}
	table, err := operatorTable(string(text), columns)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(operatorsPage)
	if err != nil {
		t.Fatal(err)
	}
	above, _, _ := strings.Cut(string(page), tableHead)
	held(t, operatorsPage, above+table)
}

// held compares a file with its expected text, or writes it.
func held(t *testing.T, path, text string) {
	t.Helper()
	if *writeOperators {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s is out of date; run: make operators (%v)", path, err)
	}
}

// operatorsOf lists the cases with their operators, one per line, separated by tabs.
func operatorsOf(cases []testCase) string {
	var b strings.Builder
	for _, c := range cases {
		var operators []string
		for _, label := range c.labels() {
			operators = append(operators, strings.TrimPrefix(label, "operator:"))
		}
		slices.Sort(operators)
		fmt.Fprintf(&b, "%s\t%s\n", c.name, strings.Join(operators, " "))
	}
	return b.String()
}

// columns returns the engines with their lists. A list's file name contains the version.
func columns() ([]column, error) {
	exceptions, err := readExceptions("testdata/exceptions.tsv")
	if err != nil {
		return nil, err
	}
	first := column{"ONNX Runtime " + versions[onORT.name], map[string]stage{}}
	for name, e := range exceptions {
		first.listed[name] = e.stage
	}
	list := []column{first}
	for _, on := range []nodeEngine{onOpenVINO, onTract, onReference, onTensorRT} {
		paths, err := filepath.Glob("testdata/" + on.name + "-*.tsv")
		if err != nil {
			return nil, err
		}
		if len(paths) != 1 {
			return nil, fmt.Errorf("want one list of %s, got %v", on.title, paths)
		}
		listed, err := readOutcomes(paths[0])
		if err != nil {
			return nil, err
		}
		version := strings.TrimSuffix(filepath.Base(paths[0]), ".tsv")[len(on.name)+1:]
		next := column{on.title + " " + version, map[string]stage{}}
		for name, o := range listed {
			next.listed[name] = o.Stage
		}
		list = append(list, next)
	}
	return list, nil
}

// expanded is the row of cases that are function bodies, whose many operators do not represent any
// single one.
const expanded = "(function bodies)"

// tableHead starts the table; the text above it in the page is written by hand.
const tableHead = "| operator | cases |"

// operatorTable returns the page's table.
func operatorTable(cases string, columns []column) (string, error) {
	byOperator := map[string][]string{}
	var all []string
	for line := range strings.Lines(cases) {
		name, operators, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || operators == "" {
			return "", fmt.Errorf("%s: %q has no operator", casesList, name)
		}
		all = append(all, name)
		list := strings.Fields(operators)
		if strings.Contains(name, "_expanded") {
			list = []string{expanded}
		}
		for _, operator := range list {
			byOperator[operator] = append(byOperator[operator], name)
		}
	}
	known := map[string]bool{}
	for _, name := range all {
		known[name] = true
	}
	var b strings.Builder
	b.WriteString(tableHead)
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
		for name := range c.listed {
			if !known[name] {
				return "", fmt.Errorf("the list of %s names %s, which is not a case", c.title, name)
			}
		}
	}
	b.WriteString("\n| --- | ---: |" + strings.Repeat(" --- |", len(columns)) + "\n")
	row := func(title string, names []string) {
		fmt.Fprintf(&b, "| %s | %d |", title, len(names))
		for _, c := range columns {
			b.WriteString(" " + c.cell(names) + " |")
		}
		b.WriteString("\n")
	}
	row("**all**", all)
	for _, operator := range slices.Sorted(maps.Keys(byOperator)) {
		row(operator, byOperator[operator])
	}
	return b.String(), nil
}

// cell counts how many cases pass and how many give a different result.
func (c column) cell(names []string) string {
	pass, wrong := 0, 0
	for _, name := range names {
		switch at, listed := c.listed[name]; {
		case !listed:
			pass++
		case at == mismatch:
			wrong++
		}
	}
	text := fmt.Sprint(pass)
	switch {
	case pass == len(names):
		return "all"
	case pass == 0 && wrong == 0:
		return "–"
	case wrong > 0:
		text += fmt.Sprintf(", **%d differ**", wrong)
	}
	return text
}

func TestCells(t *testing.T) {
	c := column{listed: map[string]stage{"b": load, "c": mismatch}}
	for _, row := range []struct {
		names string
		want  string
	}{{"a", "all"}, {"a b", "1"}, {"b", "–"}, {"c", "0, **1 differ**"}, {"a b c", "1, **1 differ**"}} {
		if got := c.cell(strings.Fields(row.names)); got != row.want {
			t.Errorf("%s: %q, want %q", row.names, got, row.want)
		}
	}
	gone := []column{{"x", map[string]stage{"gone": load}}}
	if _, err := operatorTable("test_abs\tAbs\n", gone); err == nil {
		t.Error("a list may name a case that does not exist")
	}
}
