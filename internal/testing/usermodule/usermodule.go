// Package usermodule creates modules that require this checkout, as a user's module would, so that
// a test may change their files.
package usermodule

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const modulePath = "github.com/modelparity/modelparity"

// Root returns the root of the module that contains the working directory.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("%s is in no Go module; run this in a checkout of %s", start, modulePath)
		}
	}
}

// Make turns dir into a module with copies of the given folders of the checkout. The module
// requires the checkout at root, and the same versions of other modules as the checkout, so that it
// needs only modules that `make setup` has fetched.
func Make(root, dir string, folders ...string) error {
	for _, folder := range folders {
		err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder)))
		if err != nil {
			return err
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	named := bytes.Replace(mod, []byte("module "+modulePath), []byte("module example.com/user"), 1)
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

// Folder creates a folder in this module for a package that a spec writes and compiles. The folder
// is outside the module's other packages. A temporary folder inside a package would change the
// modification time of the package's folder, and go test would not use the cached results of specs
// that list it.
func Folder(name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	within := filepath.Join(root, "artifacts", "_specs") // the underscore keeps it out of ./...
	if err := os.MkdirAll(within, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(within, name)
}

// Compile compiles the specs in folder, which must come from [Folder], and writes the binary to
// program. It returns a function that runs the binary and returns its output.
func Compile(ctx context.Context, folder, program string) (run func() (string, error),
	err error) {
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags=-s", "-o", program,
		folder).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return func() (string, error) {
		command := exec.CommandContext(ctx, program, "-test.v")
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}, nil
}
