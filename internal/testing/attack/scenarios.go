//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/hostile"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// gemm is a model in the checkout. Running it shows how much memory an engine takes.
const gemm = "internal/cli/testdata/polygraphy/models/fp32_gemm.onnx"

// scenario is an attack on commands with malicious files. Most scenarios were found in reviews. The
// function lay writes the files into a new folder, in which the commands then run.
type scenario struct {
	forbids string // what the commands must not do
	lay     func(l *layout)
	each    []string // command lines; DIR is the folder
	status  string   // the expected exit statuses, as digits: "2", or "01" for 0 or 1
	says    string   // what the command must print
}

// runScenarios runs every command of every scenario. Each command must end with an expected exit
// status and stay within its limits. It must not change existing files, follow a link out of the
// folder, run anything in the folder, or print anything that controls a terminal or a build server.
func runScenarios(ctx context.Context, a *attack, r *result) error {
	engine, err := a.cost(ctx, "run", filepath.Join(a.root, gemm), "--onnxrt", "--validate")
	if err != nil {
		return err
	}
	type attempt struct {
		scenario
		line, dir string
	}
	var list []attempt
	for _, s := range scenarios() {
		for _, line := range s.each {
			dir := filepath.Join(a.dir, fmt.Sprintf("scenario-%d", len(list)))
			list = append(list, attempt{s, line, dir})
		}
	}
	return r.each(ctx, len(list), func(i int) (string, error) {
		wrong, err := a.play(ctx, list[i].scenario, list[i].line, list[i].dir, engine, r)
		if wrong != "" {
			wrong = "must not " + list[i].forbids + ": " + wrong
		}
		return wrong, err
	})
}

// play runs one command line of a scenario in a new folder. It describes what the command did
// wrong, or returns "".
func (a *attack) play(ctx context.Context, s scenario, line, dir string, engine int64,
	r *result) (wrong string, err error) {
	l := &layout{dir: dir, err: os.Mkdir(dir, 0o755)}
	s.lay(l)
	before, err := below(dir)
	if err = errors.Join(l.err, err); err != nil {
		return "", fmt.Errorf("%s: %w", s.forbids, err)
	}
	v := victim{args: strings.Split(strings.ReplaceAll(line, "DIR", dir), " "), dir: dir, base: engine,
		bytes: l.bytes, env: []string{"MODELPARITY_REVIEW=" + filepath.Join(dir, "review"),
			"MODELPARITY_LOCK=off"}}
	v.see = func(took rig.Took) string { return s.see(took, dir, before) }
	wrong, err = a.strike(ctx, v, r)
	if wrong == "" && err == nil {
		err = os.RemoveAll(dir)
	}
	return wrong, err
}

// see checks how a command of the scenario ended, and what it printed and wrote. It describes what
// is wrong, or returns "".
func (s scenario) see(took rig.Took, dir string, before map[string]string) string {
	said := took.Stdout + took.Stderr
	if !strings.Contains(s.status, fmt.Sprint(took.Status)) {
		return fmt.Sprintf("ends with exit status %d, expected one of %q: %.600s", took.Status,
			s.status, said)
	}
	if !strings.Contains(said, s.says) {
		return fmt.Sprintf("does not print %q: %.600s", s.says, said)
	}
	if found := hostile.Found(said); found != "" {
		return fmt.Sprintf("prints %q", found)
	}
	after, err := below(dir)
	if err != nil {
		return err.Error()
	}
	for path, text := range before {
		if after[path] != text {
			return fmt.Sprintf("changes %s to %.60q", path, after[path])
		}
	}
	for path, text := range after {
		if report := filepath.Base(path); strings.HasPrefix(report, "report.") && before[path] == "" {
			if found := hostile.Found(text); found != "" {
				return fmt.Sprintf("writes %q into %s", found, report)
			}
		}
		if strings.HasSuffix(path, "pwned") || strings.Contains(text, "s3cret") && before[path] == "" {
			return "creates " + path
		}
	}
	return ""
}

// below returns the contents of the files below a folder, and the targets of links.
func below(dir string) (map[string]string, error) {
	all := map[string]string{}
	return all, filepath.WalkDir(dir, func(path string, item fs.DirEntry, err error) error {
		if err != nil || item.IsDir() {
			return err
		}
		text := []byte(item.Type().String())
		switch item.Type() {
		case 0:
			text, err = os.ReadFile(path)
		case fs.ModeSymlink:
			var to string
			to, err = os.Readlink(path)
			text = []byte("link to " + to)
		}
		all[path] = string(text)
		return err
	})
}

// layout writes the files of a scenario, and stores the first error.
type layout struct {
	dir   string
	bytes int64
	err   error
}

// path returns the path of a file and creates the file's folder.
func (l *layout) path(name string) string {
	path := filepath.Join(l.dir, filepath.FromSlash(name))
	l.err = errors.Join(l.err, os.MkdirAll(filepath.Dir(path), 0o755))
	return path
}

func (l *layout) file(text string, names ...string) {
	for _, name := range names {
		l.err = errors.Join(l.err, os.WriteFile(l.path(name), []byte(text), 0o600))
		l.bytes += int64(len(text))
	}
}

func (l *layout) link(name, to string) { l.err = errors.Join(l.err, os.Symlink(to, l.path(name))) }

func (l *layout) fifo(name string) {
	l.err = errors.Join(l.err, exec.Command("mkfifo", l.path(name)).Run())
}

// model writes a model whose nodes read x, a float32 tensor of four elements.
func (l *layout) model(name, output string, g onnxtest.Graph) {
	g.Inputs = append(g.Inputs, onnxtest.Value{Name: "x", Elem: 1, Dims: []any{4}})
	g.Outputs = []onnxtest.Value{{Name: output, Elem: 1, Dims: []any{4}}}
	l.file(string(onnxtest.Model{Graph: g}.Bytes()), name)
}

// set returns a set of tensors; named alternates names and tensors.
func (l *layout) set(named ...any) *tensor.Set {
	var all []tensor.Entry
	for i := 0; i < len(named); i += 2 {
		all = append(all, tensor.Entry{Name: named[i].(string), Tensor: named[i+1].(*tensor.Tensor)})
	}
	set, err := tensor.NewSet(all...)
	l.err = errors.Join(l.err, err)
	return set
}

// saved writes a saved run, or a golden file if "golden" is in its path.
func (l *layout) saved(name string, outputs ...*tensor.Set) {
	var iterations []backends.Iteration
	for _, set := range outputs {
		iterations = append(iterations, backends.Iteration{Outputs: set})
	}
	run := backends.NewRun(backends.Provenance{Backend: "attack"}, iterations...)
	path := l.path(name)
	var err error
	if strings.Contains(name, "golden") {
		err = golden.Write(path, run, golden.Options{})
	} else {
		err = runs.WriteRuns(path, []runs.Named{{Name: "attack", Run: run}})
	}
	info, wrong := os.Stat(path)
	if l.err = errors.Join(l.err, err, wrong); l.err == nil {
		l.bytes += info.Size()
	}
}

// edited replaces every occurrence of the text old in a file. The file must contain the text.
func (l *layout) edited(name, old, replacement string) {
	data, err := os.ReadFile(l.path(name))
	changed := bytes.ReplaceAll(data, []byte(old), []byte(replacement))
	if err == nil && bytes.Equal(data, changed) {
		err = fmt.Errorf("%s lacks %q", name, old)
	}
	l.err = errors.Join(l.err, err, os.WriteFile(l.path(name), changed, 0o600))
}
