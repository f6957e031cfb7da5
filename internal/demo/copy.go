package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The suite that is copied, below the module's root, and its model, below the suite.
const (
	modulePath = "github.com/modelparity/modelparity"
	suite      = "./example_test/digits"
	model      = "testdata/digits.onnx"
)

// moduleRoot is the root of the checkout that the working directory is in.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	file := string(bytes.TrimSpace(out))
	if filepath.Base(file) != "go.mod" {
		return "", fmt.Errorf("the demo runs inside a checkout of %s, and this is no module",
			modulePath)
	}
	return filepath.Dir(file), nil
}

// copySuite makes dir a module with a copy of the suite. It requires the checkout at root in the
// versions that root itself requires, so that nothing has to be fetched that make setup did not.
func copySuite(root, dir string) error {
	if err := os.CopyFS(filepath.Join(dir, suite), os.DirFS(filepath.Join(root, suite))); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	named := bytes.Replace(mod, []byte("module "+modulePath), []byte("module example.com/demo"), 1)
	if bytes.Equal(named, mod) {
		return fmt.Errorf("%s is not the go.mod of %s", filepath.Join(root, "go.mod"), modulePath)
	}
	named = fmt.Appendf(named, "\nrequire %s v0.0.0\n\nreplace %s => %q\n",
		modulePath, modulePath, root)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), named, 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}
