//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// fullDisks runs every command that writes files while nothing can be written: on a full file
// system, if this process may mount one, and under a file-size limit of 0. The command must report
// the failure with exit status 2, leave existing files unchanged, and leave no new files.
func fullDisks(ctx context.Context, a *attack, r *result) error {
	folder := filepath.Join(a.dir, "full")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	limits := []struct{ name, folder, shell string }{
		{"a file-size limit", folder, `ulimit -f 0; exec "$@"`},
	}
	mounted, err := mountFull(ctx, filepath.Join(a.dir, "disk"))
	if err == nil {
		defer exec.Command("umount", mounted).Run() //nolint:errcheck // the folder is a temporary one
		limits = append(limits, struct{ name, folder, shell string }{"a full disk", mounted,
			`exec "$@"`})
		r.notes = "on a full tmpfs and under a file-size limit"
	} else {
		r.notes = "under a file-size limit; no tmpfs could be mounted"
	}
	for _, limit := range limits {
		for _, c := range a.writing(limit.folder) {
			r.tries++
			wrong, err := a.withoutSpace(ctx, limit.shell, limit.folder, c)
			if err != nil {
				return err
			}
			if wrong != "" {
				r.fail("%s: %v: %s", limit.name, c.args, wrong)
			}
		}
	}
	return nil
}

// mountFull mounts a small file system at folder. [attack.withoutSpace] fills it.
func mountFull(ctx context.Context, folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return folder, exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=256k", "modelparity",
		folder).Run()
}

// writing describes a command and the files that it writes.
type writing struct {
	args    []string
	targets []string
}

const old = "what was there before\n"

// writing lists the commands that write into a folder.
func (a *attack) writing(folder string) []writing {
	digits := filepath.Join(a.root, "example_test/digits/testdata/digits.onnx")
	recorded := filepath.Join(a.root,
		"internal/cli/testdata/polygraphy/recorded/fp32_gemm/outputs.json")
	to := func(name string) string { return filepath.Join(folder, name) }
	var list []writing
	add := func(targets []string, args ...string) {
		list = append(list, writing{args: append([]string{a.program}, args...), targets: targets})
	}
	for _, name := range []string{"o.json", "o.npz", "o.safetensors"} {
		add([]string{to(name)}, "run", filepath.Join(a.root, gemm), "--onnxrt", "--save-outputs",
			to(name))
	}
	add([]string{to("i.json")}, "run", digits, "--onnxrt", "--validate", "--save-inputs",
		to("i.json"))
	add([]string{to("r.json")}, "compare", recorded+"#0", recorded+"#1", "--report", to("r.json"))
	add([]string{to("page.html")}, "report", a.report(recorded), "-o", to("page.html"))
	add([]string{to("e.json")}, "golden", "export", filepath.Join(a.root,
		"example_test/digits/testdata/golden/digits.json"), "-o", to("e.json"))
	add([]string{to("a.json")}, "compare", recorded+"#0", recorded+"#1", "--save-accuracy-results",
		to("a.json"))
	add([]string{to("p.onnx"), to("p.onnx.inputs.json")}, "cut", digits, "-o", to("p.onnx"), "--to",
		"logits")
	for _, kind := range kinds {
		list = append(list, writing{args: []string{rig.Self(), "write", to(kind.name)},
			targets: []string{to(kind.name)}})
	}
	return list
}

// report writes a JSON report, from which another command makes a page, and returns its path.
func (a *attack) report(recorded string) string {
	path := filepath.Join(a.dir, "report-of-pages.json")
	_ = exec.Command(a.program, "compare", recorded+"#0", recorded+"#1", "--report", path).Run()
	return path // if there is no report, the command that reads it fails and says why
}

// withoutSpace runs one command that has no space to write its files.
func (a *attack) withoutSpace(ctx context.Context, shell, folder string, c writing) (
	wrong string, err error) {
	filler := filepath.Join(folder, "filler")
	if err := os.RemoveAll(filler); err != nil {
		return "", err
	}
	for _, path := range c.targets {
		content := old
		if filepath.Base(path) == enginelock.Name {
			content = `{"modelparity": 1, "engines": []}`
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	if shell == `exec "$@"` { // only the disk limits the command: fill it
		_ = os.WriteFile(filler, make([]byte, 1<<20), 0o600)
	}
	before, err := state(folder)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", shell, "sh"}, c.args...)...)
	command.Dir = a.dir
	command.Env = append(os.Environ(), "GOTRACEBACK=single")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	_ = command.Run() // the status is checked below
	after, err := state(folder)
	if err != nil {
		return "", err
	}
	switch {
	case command.ProcessState.ExitCode() != 2:
		return fmt.Sprintf("ends with %s: %s", command.ProcessState, output.Bytes()), nil
	case trace.Match(output.Bytes()):
		return fmt.Sprintf("dies: %s", output.Bytes()), nil
	case before != after:
		return fmt.Sprintf("changes the folder to\n%s\nfrom\n%s", after, before), nil
	}
	return "", nil
}

// state describes the files in a folder, so that two states can be compared.
func state(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	text := ""
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s %d %.40q\n", entry.Name(), len(data), data)
	}
	return text, nil
}
