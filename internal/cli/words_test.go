package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words are the subcommands of each command that takes one before its files.
func words() map[string][]string {
	all := map[string][]string{"inspect": (*inspectRequest)(nil).words(),
		"surgeon": (*surgeonRequest)(nil).words(), "golden": (*goldenRequest)(nil).words(),
		"report": (*reportRequest)(nil).words()}
	for _, c := range commands() {
		for _, tool := range c.tools {
			name, word, _ := strings.Cut(tool.name, " ")
			all[name] = append(all[name], word)
		}
	}
	return all
}

// TestAWordWinsOverAFileOfThatName has each word of each command say the same whether nothing, a
// folder or a file is called like it, also where that is what the command is to write.
func TestAWordWinsOverAFileOfThatName(t *testing.T) {
	model, err := os.ReadFile("testdata/polygraphy/models/fp32_gemm.onnx")
	if err != nil {
		t.Fatal(err)
	}
	said := func(command, word, output string, make func(name string) error) string {
		t.Chdir(t.TempDir())
		args := []string{command, word, "net.onnx"}
		if output != "" {
			args = append(args, output, word)
		}
		if err := os.WriteFile("net.onnx", model, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := make(word); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := modelparity(t, args...)
		if strings.Contains(stderr, "would write") {
			t.Errorf("%s: the word is taken for a file: %s", strings.Join(args, " "), stderr)
		}
		return strings.Join([]string{strings.Join(args, " "), string(rune('0' + status)), stdout,
			stderr}, "\n")
	}
	nothing := func(string) error { return nil }
	folder := func(name string) error { return os.MkdirAll(filepath.Join(name, "good"), 0o755) }
	file := func(name string) error { return os.WriteFile(name, model, 0o600) }
	for _, command := range slices.Sorted(maps.Keys(words())) {
		for _, word := range words()[command] {
			alone := said(command, word, "", nothing)
			for _, make := range []func(string) error{folder, file} {
				if next := said(command, word, "", make); next != alone {
					t.Errorf("next to something of that name it says:\n%s\nalone:\n%s", next, alone)
				}
			}
			if alone, next := said(command, word, "-o", nothing), said(command, word, "-o",
				file); alone != next {
				t.Errorf("next to a file of that name it says:\n%s\nalone:\n%s", next, alone)
			}
		}
	}
}

// TestLoggingFlagsComeBeforeAWordToo holds tools to Polygraphy's parser, which takes them there.
func TestLoggingFlagsComeBeforeAWordToo(t *testing.T) {
	model, err := filepath.Abs("testdata/polygraphy/models/fp32_gemm.onnx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"inspect", "-q", "model", model}, {"inspect", "model", "-q", model},
		{"data", "-qq", "merge", model}, {"data", "--silent", "merge", model},
		{"data", "--verbosity", "warning", "merge", model}, {"data", "merge", model, "-q"},
		{"data", "--log-file", "merge", "merge", model},
		{"debug", "-v", "--log-format", "no-colors", "repeat", "--until", "1", "--check", "-v"},
	} {
		_, stdout, stderr := modelparity(t, args...)
		if strings.Contains(stderr, "unknown") || strings.Contains(stderr, "takes one file") ||
			strings.Contains(stderr, "no such file") || args[0] == "inspect" && stdout+stderr != "" {
			t.Errorf("%q: %s%s", args, stdout, stderr)
		}
	}
	if _, err := os.Stat("merge"); err != nil {
		t.Error("no log: ", err)
	}
}
