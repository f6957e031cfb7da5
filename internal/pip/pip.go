// Package pip downloads wheels with Python's package installer. Engines and ONNX's test data are
// published as wheels. Nothing is installed.
//
// pip uses the index or mirror that the user configured. Only the checksum decides whether a wheel
// is accepted. pip runs in an empty folder, without Python's environment variables and without the
// user's own packages, so that it runs no file from the working directory.
package pip

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/python"
	"github.com/modelparity/modelparity/internal/regular"
)

// Download saves the wheel in folder, which must exist, and returns the path of the wheel.
// interpreter is the name or path of a Python interpreter; "" means python3. The wheel may be for a
// different platform than this machine's. A file with a different checksum is rejected.
func Download(ctx context.Context, interpreter string, w Wheel, folder string) (string, error) {
	t, err := w.tags()
	if err == nil {
		err = w.Check()
	}
	if err != nil {
		return "", err
	}
	interpreter, err = exec.LookPath(cmp.Or(interpreter, "python3"))
	if err == nil {
		interpreter, err = filepath.Abs(interpreter) // because pip runs in a different folder
	}
	if err != nil {
		return "", err
	}
	empty, err := os.MkdirTemp("", "modelparity-pip-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(empty) //nolint:errcheck // only a temporary folder
	wanted := filepath.Join(empty, "wanted.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", t.project, t.version, w.SHA256)
	if err := os.WriteFile(wanted, []byte(line), 0o600); err != nil {
		return "", err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	// The wheel is only unpacked, so it does not matter which Python may install it.
	args := []string{"-m", "pip", "download", "--quiet", "--disable-pip-version-check",
		"--no-input", "--no-deps", "--only-binary=:all:", "--require-hashes", "--ignore-requires-python",
		"--implementation", t.implementation, "--python-version", t.python, "--abi", t.abi}
	for _, platform := range t.platforms {
		args = append(args, "--platform", platform)
	}
	command := python.Isolated(ctx, interpreter,
		append(args, "--dest", folder, "--requirement", wanted)...)
	command.Dir = empty
	command.Env = environment(os.Environ())
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s -I -m pip download %s==%s: %w\n%s", interpreter, t.project,
			t.version, err, strings.TrimSpace(string(output)))
	}
	path := filepath.Join(folder, w.File)
	got, err := regular.Sum(path)
	if err != nil {
		return "", fmt.Errorf("pip did not save %s: %w", w.File, err)
	}
	if got != w.SHA256 {
		return "", fmt.Errorf("%s has the sha256 %s, expected %s: the package index returned a "+
			"different file", w.File, got, w.SHA256)
	}
	return path, nil
}

// overriding lists the environment variables that would make pip use a different interpreter or
// install different requirements.
var overriding = []string{"PIP_PYTHON", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT",
	"PIP_NO_BINARY", "PIP_TARGET", "PIP_PLATFORM", "PIP_ABI"}

// environment returns the caller's environment without the variables in overriding. It keeps the
// user's settings for package indexes; any paths in these settings must be absolute.
func environment(caller []string) []string {
	return slices.DeleteFunc(slices.Clone(caller), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(overriding, name)
	})
}
