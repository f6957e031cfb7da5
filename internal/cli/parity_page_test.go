package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
)

// TestPageOfParity checks the tables of docs/coming-from-polygraphy.md: every command line of the
// first has the exit status that the page says, here and in the real Polygraphy if it is installed;
// every one of the second is refused in the words of the page; and the evidence that the third
// names exists.
func TestPageOfParity(t *testing.T) {
	if missing := ort.Available(); missing != nil {
		t.Skip(missing)
	}
	compared, refused, evidence := parityPage(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range evidence {
		if err := evident(root, item, append(slices.Clone(compared), refused...)); err != nil {
			t.Error(err)
		}
	}
	var noPython absence
	python := pythontest.With(&noPython, "polygraphy", "onnxruntime", "onnx", "onnx_graphsurgeon")
	if backends.Required("polygraphy") && noPython.reason != "" {
		t.Fatal(noPython.reason)
	}
	ours, theirs := t.TempDir(), t.TempDir()
	parityFiles(t, root, ours)
	parityFiles(t, root, theirs)
	done := make(chan []answer, 1)
	go func() { // at the same time
		done <- polygraphyAnswers(t, python, filepath.Join(root, "internal", "cli", "testdata",
			"parity", "side_by_side.py"), theirs, compared)
	}()
	if python != "" {
		t.Setenv("MODELPARITY_PYTHON", python)
	}
	t.Chdir(ours)
	for _, row := range compared {
		if python == "" && (strings.Contains(row[0], ".py") || strings.Contains(row[0], "--pluginref")) {
			continue
		}
		status, _, said := modelparity(t, strings.Fields(row[0])...)
		if fmt.Sprint(status) != row[2] {
			t.Errorf("modelparity %s: exit status %d, and the page says %s: %s", row[0], status, row[2],
				said)
		}
	}
	for _, row := range refused {
		status, _, said := modelparity(t, strings.Fields(row[0])...)
		if status != unusable || !strings.Contains(said, row[1]) {
			t.Errorf("modelparity %s: exit status %d, and the page says %q: %s", row[0], status, row[1],
				said)
		}
	}
	for i, said := range <-done {
		if row := compared[i]; fmt.Sprint(said.Status) != row[1] {
			t.Errorf("polygraphy %s: exit status %d, and the page says %s: %s", row[0], said.Status,
				row[1], said.Said)
		}
	}
}

// answer is how a command line of Polygraphy's ended, and its last words.
type answer struct {
	Status int
	Said   string
}

// polygraphyAnswers runs the command lines in one Python, which loads Polygraphy once.
func polygraphyAnswers(t *testing.T, python, script, folder string, rows [][]string) []answer {
	if python == "" {
		return nil
	}
	var lines, said bytes.Buffer
	for _, row := range rows {
		lines.WriteString(row[0] + "\n")
	}
	command := exec.Command(python, script)
	command.Dir, command.Stdin, command.Stderr = folder, &lines, &said
	output, err := command.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", script, err, said.String())
		return nil
	}
	var answers []answer
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var a answer
		if err := decoder.Decode(&a); err != nil {
			t.Error(err)
			return nil
		}
		answers = append(answers, a)
	}
	if len(answers) != len(rows) {
		t.Errorf("%d command lines have %d answers", len(rows), len(answers))
	}
	return answers
}

// parityPage reads the page: the rows that both tools run, those that are refused, and all that
// is named as evidence.
func parityPage(t *testing.T) (compared, refused [][]string, evidence []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), parityBegin)
	tables, _, ends := strings.Cut(rest, parityEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the tables", page)
	}
	heading := ""
	for scanner := bufio.NewScanner(strings.NewReader(tables)); scanner.Scan(); {
		line := scanner.Text()
		if title, is := strings.CutPrefix(line, "## "); is {
			heading = title
		}
		row, isRow := strings.CutPrefix(line, "| ")
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(row, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if !isRow || strings.HasPrefix(row, "---") || len(cells) < 3 {
			continue
		}
		code := strings.Trim(cells[0], "`")
		switch {
		case strings.HasSuffix(cells[0], "…`") || cells[1] == "here" || cells[1] == "says":
		case heading == "Command lines":
			compared = append(compared, append([]string{code}, cells[1:]...))
		case heading == "What is refused":
			refused = append(refused, append([]string{code}, cells[1:]...))
		default:
			if !slices.Contains([]string{"works", "refused"}, cells[1]) {
				t.Errorf("%s: want works or refused, got %q", cells[0], cells[1])
			}
			evidence = append(evidence, strings.Split(cells[2], "; ")...)
		}
	}
	if len(compared) < 60 || len(refused) < 15 || len(evidence) < 60 {
		t.Errorf("the page has %d command lines, %d that are refused and %d times evidence",
			len(compared), len(refused), len(evidence))
	}
	return compared, refused, evidence
}

// evident is an error unless the evidence is there: a command line of the page, a script of
// testdata/script, or a spec or test of a package, by its words.
func evident(root, item string, rows [][]string) error {
	code, words, isSpec := strings.Cut(strings.TrimPrefix(item, "`"), "` ")
	code = strings.TrimSuffix(code, "`")
	switch {
	case isSpec:
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(code), "*_test.go"))
		if err != nil {
			return err
		}
		name := strings.Trim(words, `"`)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if bytes.Contains(text, []byte("(\""+name+"\"")) ||
				bytes.Contains(text, []byte("func "+name+"(t *testing.T)")) {
				return nil
			}
		}
		return fmt.Errorf("the page names %s, and %s has no such spec", item, code)
	case strings.HasSuffix(code, ".txtar"):
		_, err := os.Stat(filepath.Join(root, "internal", "cli", "testdata", "script", code))
		return err
	case slices.ContainsFunc(rows, func(row []string) bool { return row[0] == code }):
		return nil
	}
	return fmt.Errorf("the page names %s as evidence, and does not run it", item)
}

// parityFiles puts what the command lines of the page read into a folder.
func parityFiles(t *testing.T, root, folder string) {
	t.Helper()
	here := filepath.Join(root, "internal", "cli", "testdata")
	for name, from := range map[string]string{
		"net.onnx":     filepath.Join(here, "polygraphy", "models", "fp32_gemm.onnx"),
		"nan.onnx":     filepath.Join(here, "polygraphy", "models", "nan_inf.onnx"),
		"tactics.json": filepath.Join(root, "backends", "trt", "testdata", "tactics.json"),
		"loader.py":    filepath.Join(here, "parity", "loader.py"),
		"judge.py":     filepath.Join(here, "parity", "judge.py"),
	} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, model := range faulty() {
		if err := os.WriteFile(filepath.Join(folder, name), model, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	apart := filepath.Join(folder, "apart.onnx")
	_, err := loaders.ONNX(filepath.Join(folder, "net.onnx")).SaveExternal(apart,
		loaders.External{Threshold: 1})
	if err == nil {
		err = os.Mkdir(filepath.Join(folder, "moved"), 0o755)
	}
	if err == nil {
		err = os.Rename(apart, filepath.Join(folder, "moved", "apart.onnx"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// faulty are models with one fault each.
func faulty() map[string][]byte {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{2}}
	}
	node := func(domain string) []onnxtest.Node {
		return []onnxtest.Node{{Op: "Relu", Name: "n", Domain: domain, In: []string{"x"},
			Out: []string{"y"}}}
	}
	bytesOf := func(nodes []onnxtest.Node, inputs, outputs []onnxtest.Value) []byte {
		return onnxtest.Model{IR: 8, Opsets: map[string]int64{"": 17}, Graph: onnxtest.Graph{
			Nodes: nodes, Inputs: inputs, Outputs: outputs}}.Bytes()
	}
	inputs, outputs := []onnxtest.Value{value("x")}, []onnxtest.Value{value("y")}
	return map[string][]byte{
		// The field of the graph's name becomes the one of its documentation.
		"nameless.onnx": bytes.Replace(bytesOf(node(""), inputs, outputs), []byte("\x12\x01g"),
			[]byte("\x52\x01g"), 1),
		"twice.onnx":   bytesOf(node(""), slices.Repeat(inputs, 2), outputs),
		"outputs.onnx": bytesOf(node(""), inputs, slices.Repeat(outputs, 2)),
		"custom.onnx":  bytesOf(node("my.operators"), inputs, outputs),
	}
}
