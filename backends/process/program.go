package process

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/child"
	"github.com/modelparity/modelparity/internal/modelfiles"
	"github.com/modelparity/modelparity/internal/python"
	"github.com/modelparity/modelparity/internal/regular"
)

// sources contains modelparity.py and the runners that import it. They are embedded in this binary,
// so the user need not install them, and they always match this release.
//
//go:embed python/*.py
var sources embed.FS

// boot is a Python program that defines the given sources as modules and runs the last one as the
// main program.
const boot = `import json, linecache, sys, types
modules = json.loads(sys.argv[1])
sys.argv = sys.argv[2:]
for name, source in modules:
    file = "<modelparity>/" + name + ".py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    exec(compile(source, file, "exec"), module.__dict__)
sys.modules[modules[-1][0]].main()
`

// pythonProgram returns the command that runs a runner, which is a program in the folder python,
// and makes modelparity.py available to it.
func pythonProgram(interpreter, runner string, args []string) ([]string, error) {
	var modules [][2]string
	for _, name := range slices.Compact([]string{"modelparity", runner}) {
		source, err := sources.ReadFile("python/" + name + ".py")
		if err != nil {
			return nil, err
		}
		modules = append(modules, [2]string{name, string(source)})
	}
	text, err := json.Marshal(modules)
	if err != nil {
		return nil, err
	}
	return python.Args(interpreter, append([]string{"-c", boot, string(text), runner + ".py"},
		args...)...), nil
}

func (s *settings) program() (child.Program, error) {
	p := child.Program{Args: s.Args}
	if s.Runner == "runner_tensorflow" {
		p.Args = slices.Concat(p.Args, []string{s.Checkpoint}, s.Outputs)
	}
	var err error
	if s.Runner != "" {
		p.Env = python.Env()
		p.Args, err = pythonProgram(s.interpreter(), s.Runner, p.Args)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		p.Env = append(p.Env, name+"="+s.Env[name])
	}
	return p, err
}

// frameworks maps each runner to its name in [backends.Missing] and MODELPARITY_REQUIRE, to the
// Python package that it needs, to more packages to install, and to the framework's name for
// messages, if it has one. Of JAX, only exported functions need flatbuffers; scripts do not.
var frameworks = map[string]struct{ name, install, more, title string }{
	"runner_torch":      {"pytorch", "torch", "", "PyTorch"},
	"runner_tensorflow": {"tensorflow", "tensorflow-cpu", "", "TensorFlow"},
	"runner_onnx":       {"onnxreference", "onnx", "", "the ONNX reference evaluator"},
	"runner_jax":        {"jax", "jax", " flatbuffers", "JAX"},
	"modelparity":       {"python", "numpy", "", ""},
	scriptsRunner:       {"python", "numpy", "", ""},
	perceptualRunner:    {"lpips", "lpips", "", ""},
}

// missing returns the error for a program that is not on this machine.
func (s *settings) missing(reason string) error {
	framework, ours := frameworks[s.Runner]
	m := &backends.Missing{Backend: framework.name, Reason: reason,
		Remedy: fmt.Sprintf("run `%s -m pip install %s`, or set %s to a Python that has it",
			s.interpreter(), framework.install+framework.more, PythonVariable)}
	switch {
	case !ours:
		m.Backend, m.Remedy = Name, "install the program, or pass its path"
	case python.TooOld(reason):
		m.Reason = s.interpreter() + " is older than Python 3.11"
		m.Remedy = "set " + PythonVariable + " to a newer Python"
	}
	return m
}

// lacking turns an error that says that the program, its Python or a package is not on this machine
// into a [backends.Missing].
func (s *settings) lacking(err error) error {
	var refused *Refusal
	switch {
	case errors.As(err, &refused) && refused.Lacks != "":
		return s.missing(fmt.Sprintf("%s has no %s (%s)", s.interpreter(), refused.Lacks,
			refused.Reason))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist),
		python.TooOld(err.Error()):
		return s.missing(err.Error())
	}
	return err
}

// Require skips the spec of t if the program set by the options, or the Python package that the
// program needs, is not on this machine. The message is one line that says what to run. If
// MODELPARITY_REQUIRE lists the program's name or "all", the spec fails with that message instead.
// The names are "pytorch", "tensorflow", "onnxreference", "jax", "python" and "process".
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if the program set by the options and the Python package that the program
// needs are on this machine. Available looks for the package without importing it.
func Available(options ...Option) error {
	_, err := Found(context.Background(), options...)
	return err
}

// Found describes the program that the options set and its location: "PyTorch 2.15.0 in
// /usr/bin/python3".
func Found(ctx context.Context, options ...Option) (string, error) {
	s, err := checked(kind.List(options...))
	if err != nil {
		return "", err
	}
	if s.Runner == "" {
		path, err := exec.LookPath(s.Args[0])
		if err != nil {
			return "", s.lacking(err)
		}
		return s.title() + ": " + path, nil
	}
	needs := frameworks[s.Runner]
	interpreter := s.interpreter()
	out, err := python.Ask(ctx, interpreter, "-c", installed, needs.install,
		strings.TrimSuffix(needs.install, "-cpu"))
	if wrong := (*exec.ExitError)(nil); errors.As(err, &wrong) {
		return "", s.missing(interpreter + " does not run" + child.Quoted(string(wrong.Stderr)))
	}
	if err != nil {
		return "", s.missing(err.Error())
	}
	version := strings.TrimSpace(string(out))
	if version == "" {
		return "", s.missing(fmt.Sprintf("%s has no package %s", interpreter, needs.install))
	}
	return fmt.Sprintf("%s %s in %s", needs.install, version, interpreter), nil
}

// installed is a Python program whose arguments are names of packages. It prints the version of the
// first one that is installed, or an empty line.
const installed = `import importlib.metadata as m, sys
names = [n for n in sys.argv[1:] if any(True for _ in m.distributions(name=n))]
print(m.version(names[0]) if names else "")`

// sumOf returns the SHA-256 of a file, or of the names, lengths and bytes of all files in a folder.
func sumOf(path string) (string, error) {
	digest := new(modelfiles.Digest)
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		if name == "." { // path is a file
			name = modelfiles.Model
		}
		opened, err := regular.Open(file)
		if err != nil {
			return err
		}
		defer opened.Close() //nolint:errcheck // closing a file that was only read cannot lose data
		return digest.AddFile(filepath.ToSlash(name), opened)
	})
	return digest.Sum(), err
}
