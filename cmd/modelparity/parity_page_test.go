package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
)

// TestPageOfParity runs every command line of the first table of docs/parity.md, and holds its exit
// status to what the page says; those of the real Polygraphy, too, where that is installed.
func TestPageOfParity(t *testing.T) {
	if missing := ort.Available(); missing != nil {
		t.Skip(missing)
	}
	text, err := os.ReadFile("../../docs/parity.md")
	if err != nil {
		t.Fatal(err)
	}
	var noPython absence
	python := pythontest.With(&noPython, "polygraphy", "onnxruntime")
	theirs, ours := t.TempDir(), t.TempDir()
	for name, from := range map[string]string{
		"net.onnx":     "testdata/polygraphy/models/fp32_gemm.onnx",
		"nan.onnx":     "testdata/polygraphy/models/nan_inf.onnx",
		"tactics.json": "../../backends/trt/testdata/tactics.json",
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{theirs, ours} {
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(ours)
	lines := 0
	for row := range strings.Lines(string(text)) {
		row, isCommand := strings.CutPrefix(row, "| `")
		cells := strings.Split(row, " | ")
		if !isCommand || len(cells) < 4 || strings.Contains(cells[0], "…") {
			continue
		}
		lines++
		line := strings.TrimSuffix(cells[0], "`")
		if status, _, stderr := modelparity(t, strings.Fields(line)...); fmt.Sprint(status) != cells[2] {
			t.Errorf("modelparity %s: exit status %d, and the page says %s: %s", line, status, cells[2],
				stderr)
		}
		if noPython.reason != "" {
			continue
		}
		command := exec.Command(python, append([]string{"-c",
			"import sys; from polygraphy.tools import main; sys.exit(main())"},
			strings.Fields(line)...)...)
		command.Dir = theirs
		said, err := command.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if status := command.ProcessState.ExitCode(); fmt.Sprint(status) != cells[1] {
			t.Errorf("polygraphy %s: exit status %d, and the page says %s: %s", line, status, cells[1],
				said)
		}
	}
	if lines < 25 {
		t.Errorf("only %d command lines were found in the page", lines)
	}
}
