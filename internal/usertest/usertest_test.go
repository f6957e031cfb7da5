package usertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs every script in a module that requires this checkout. The module cache that
// built this test is all it may use: a script never reaches the network.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("scripts compile modules of their own")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	goCommand(t, root, "build", "-o", filepath.Join(tools, "ginkgo"),
		"github.com/onsi/ginkgo/v2/ginkgo")
	environment := []string{
		"PATH=" + tools + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"GOPROXY=off", "GOTOOLCHAIN=local",
		"GOFLAGS=-mod=mod -vet=off -ldflags=-w", // what is compiled here is run once: no extras
	}
	for _, name := range []string{"GOROOT", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		environment = append(environment, name+"="+goCommand(t, root, "env", name))
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, environment...)
			return writeModule(root, env.WorkDir)
		},
	})
}

// writeModule makes dir a module that requires the checkout at root, with the versions of root's
// own dependencies, and copies testdata/module into it.
func writeModule(root, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module"))); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	mod = bytes.Replace(mod, []byte("module github.com/modelparity/modelparity"),
		[]byte("module example.com/user"), 1)
	mod = append(mod, "\nrequire github.com/modelparity/modelparity v0.0.0\n"+
		"replace github.com/modelparity/modelparity => "+root+"\n"...)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}

// goCommand is the trimmed output of a go command that must succeed.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, complaints.String())
	}
	return strings.TrimSpace(string(out))
}
