//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// These files are in the checkout.
const (
	recorded = "internal/cli/testdata/polygraphy/"
	gemm     = recorded + "models/fp32_gemm.onnx"
)

// fullDisks runs every command that writes files in folders where writing fails: under a file-size
// limit of 0 and, if this process may mount a file system, on a full file system. Each command must
// report the failure with exit status 2, leave existing files unchanged, and leave no new files.
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
		for target, line := range a.writing() {
			path := filepath.Join(folder, target)
			v := words(line, "FILE", path)
			v.shell = shell
			wrong, err := a.withoutSpace(ctx, v, path, r)
			if err != nil {
				return err
			}
			if r.tries++; wrong != "" {
				r.failures = append(r.failures, shell+": "+wrong)
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

// writing returns commands that write a file. The keys are the names of the files. In a command,
// the word FILE stands for the file's path.
func (a *attack) writing() map[string]string {
	digits := filepath.Join(a.root, "example_test/digits/testdata/")
	outputs := filepath.Join(a.root, recorded, "recorded/fp32_gemm/outputs.json")
	run := "run " + filepath.Join(a.root, gemm) + " --onnxrt --save-outputs FILE"
	both := "compare " + outputs + "#0 " + outputs + "#1 "
	inputs := "run " + digits + "/digits.onnx --onnxrt --validate --save-inputs FILE"
	return map[string]string{
		"o.json":        run,
		"o.npz":         run,
		"o.npy":         run,
		"o.pb":          run,
		"o.safetensors": run,
		"i.json":        inputs,
		"i.npz":         inputs,
		"r.json":        both + "--report FILE",
		"a.json":        both + "--save-accuracy-results FILE",
		"page.html":     "report " + a.report(both) + " -o FILE",
		"e.json":        "golden export " + digits + "/golden/digits.json -o FILE",
		"p.onnx":        "cut " + digits + "/digits.onnx -o FILE --to logits",
	}
}

// report writes a JSON report, from which a later command makes a page, and returns its path.
func (a *attack) report(comparison string) string {
	path := filepath.Join(a.dir, "report-of-pages.json")
	_ = exec.Command(a.program, words(comparison+"--report "+path).args...).Run()
	return path // if there is no report, the later command fails and says why
}

// withoutSpace runs a command that has no space to write path, or the inputs next to it. The
// command must leave the existing files unchanged.
func (a *attack) withoutSpace(ctx context.Context, v victim, path string, r *result) (
	wrong string, err error) {
	folder, content := filepath.Dir(path), []byte("the earlier content\n")
	filler := filepath.Join(folder, "filler")
	err = errors.Join(os.RemoveAll(filler), os.WriteFile(path, content, 0o600),
		os.WriteFile(path+".inputs.json", content, 0o600))
	if v.shell == onlyDisk { // fill it
		_ = os.WriteFile(filler, make([]byte, 1<<20), 0o600)
	}
	before, failed := below(folder)
	if err = errors.Join(err, failed); err != nil {
		return "", err
	}
	v.base = math.MaxInt64 / 2 // memory is not checked here
	v.see = func(took rig.Took) string {
		after, err := below(folder)
		switch {
		case err != nil:
			return err.Error()
		case took.Status != 2:
			return fmt.Sprintf("ends with exit status %d", took.Status)
		case !maps.Equal(before, after):
			return fmt.Sprintf("changes the folder to %.40q from %.40q", after, before)
		}
		return ""
	}
	return a.strike(ctx, v, r)
}
