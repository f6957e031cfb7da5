package completion

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var commands = []Command{
	{"run", []string{"--atol", "--abs-tol", "--verbose", "-v", "--rtol"}},
	{"debug reduce", []string{"--check"}},
	{"debug build", []string{"--until"}},
	{"data merge", []string{"--output", "-o"}},
}

// completed asks bash what it would offer for a line whose last word is not finished.
func completed(t *testing.T, script string, line ...string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: ", err)
	}
	program := script + "\nCOMP_WORDS=(mp \"$@\"); COMP_CWORD=$#; _mp; " +
		`printf '%s\n' "${COMPREPLY[@]}"`
	command := exec.Command(bash, append([]string{"--norc", "-c", program, "mp"}, line...)...)
	command.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(command.Dir, "net.onnx"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Fields(string(out))
}

func TestBashCompletes(t *testing.T) {
	script, err := Script("bash", "mp", commands)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"", "run debug data"}, {"d", "debug data"}, {"debug|", "reduce build"}, {"debug|re", "reduce"},
		{"run|--a", "--atol --abs-tol"}, {"run|net.onnx|--r", "--rtol"}, {"run|-", "--atol --abs-tol " +
			"--verbose -v --rtol"}, {"debug|build|--", "--until"}, {"debug|reduce|x|--c", "--check"},
		{"data|merge|-", "--output -o"}, {"run|n", "net.onnx"}, {"run|--atol|n", "net.onnx"},
		{"unknown|--a", ""},
	} {
		got := completed(t, script, strings.Split(c.line, "|")...)
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%q offers %q, not %q", c.line, got, c.want)
		}
	}
}

func TestZshSourcesWhatBashDoes(t *testing.T) {
	script, err := Script("zsh", "mp", commands)
	if err != nil || !strings.HasPrefix(script, "#compdef mp\n") ||
		!strings.Contains(script, "bashcompinit") {
		t.Errorf("%v: %.100s", err, script)
	}
	if zsh, err := exec.LookPath("zsh"); err == nil {
		if out, err := exec.Command(zsh, "-n", "-c", script).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func TestOtherShellsAreNamed(t *testing.T) {
	if _, err := Script("tcsh", "mp", nil); err == nil ||
		!strings.Contains(err.Error(), "use bash, zsh") {
		t.Error(err)
	}
}
