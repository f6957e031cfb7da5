//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// fullDisks runs every command that writes files in folders where writing fails: under a file-size
// limit of 0 and, if this process may mount a file system, on a full one. The command must report
// the failure with exit status 2, leave existing files unchanged, and leave no new files.
func fullDisks(ctx context.Context, a *attack, r *result) error {
	folder := filepath.Join(a.dir, "full")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	limits := map[string]string{folder: `ulimit -f 0; exec "$@"`} // shell commands by folder
	r.notes = "under a file-size limit; no tmpfs could be mounted"
	if mounted, err := mountFull(ctx, filepath.Join(a.dir, "disk")); err == nil {
		defer exec.Command("umount", mounted).Run() //nolint:errcheck // the folder is a temporary one
		limits[mounted] = onlyDisk
		r.notes = "on a full tmpfs and under a file-size limit"
	}
	for folder, shell := range limits {
		for _, c := range a.writing(folder) {
			r.tries++
			wrong, err := a.withoutSpace(ctx, shell, folder, c)
			if err != nil {
				return err
			}
			if wrong != "" {
				r.failures = append(r.failures, fmt.Sprintf("%s: %v: %s", shell, c.args, wrong))
			}
		}
	}
	return nil
}

// onlyDisk is the shell command for a full disk: it runs its arguments without any other limit.
const onlyDisk = `exec "$@"`

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
	digits := filepath.Join(a.root, "example_test/digits/testdata/")
	outputs := filepath.Join(a.root, recorded, "recorded/fp32_gemm/outputs.json")
	both := "compare " + outputs + "#0 " + outputs + "#1 "
	var list []writing
	for target, line := range map[string]string{
		"o.json":        "run GEMM --onnxrt --save-outputs FILE",
		"o.npz":         "run GEMM --onnxrt --save-outputs FILE",
		"o.safetensors": "run GEMM --onnxrt --save-outputs FILE",
		"i.json":        "run " + digits + "/digits.onnx --onnxrt --validate --save-inputs FILE",
		"r.json":        both + "--report FILE",
		"a.json":        both + "--save-accuracy-results FILE",
		"page.html":     "report " + a.report(both) + " -o FILE",
		"e.json":        "golden export " + digits + "/golden/digits.json -o FILE",
		"p.onnx":        "cut " + digits + "/digits.onnx -o FILE --to logits",
	} {
		path := filepath.Join(folder, target)
		v := words(line, "GEMM", filepath.Join(a.root, gemm), "FILE", path)
		c := writing{args: append([]string{a.program}, v.args...), targets: []string{path}}
		if target == "p.onnx" {
			c.targets = append(c.targets, path+".inputs.json")
		}
		list = append(list, c)
	}
	for _, name := range kinds {
		path := filepath.Join(folder, name)
		list = append(list, writing{args: []string{rig.Self(), "write", path}, targets: []string{path}})
	}
	return list
}

// report writes a JSON report and returns the report's path. Another command makes a page from it.
func (a *attack) report(comparison string) string {
	path := filepath.Join(a.dir, "report-of-pages.json")
	_ = exec.Command(a.program, words(comparison+"--report "+path).args...).Run()
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
	if shell == onlyDisk { // fill it
		_ = os.WriteFile(filler, make([]byte, 1<<20), 0o600)
	}
	before, err := below(folder)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", shell, "sh"}, c.args...)...)
	command.Dir = a.dir
	command.Env = append(os.Environ(), "GOTRACEBACK=single")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	_ = command.Run() // the status is checked below
	after, err := below(folder)
	if err != nil {
		return "", err
	}
	switch {
	case command.ProcessState.ExitCode() != 2:
		return fmt.Sprintf("ends with %s: %s", command.ProcessState, output.Bytes()), nil
	case trace.Match(output.Bytes()):
		return fmt.Sprintf("dies: %s", output.Bytes()), nil
	case !maps.Equal(before, after):
		return fmt.Sprintf("changes the folder to %.40q from %.40q", after, before), nil
	}
	return "", nil
}
