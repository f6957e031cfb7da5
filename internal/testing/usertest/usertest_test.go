package usertest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// TestScripts runs every script in a module that requires this checkout. The module cache that
// built this test is all it may use: a script never reaches the network.
func TestScripts(t *testing.T) {
	skips.Long(t) // scripts compile modules of their own
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	for name, of := range map[string]string{"ginkgo": "github.com/onsi/ginkgo/v2/ginkgo",
		"modelparity": "./cmd/modelparity"} {
		goCommand(t, root, "build", "-o", filepath.Join(tools, name), of)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	environment := []string{
		"XDG_CACHE_HOME=" + cache, // where ONNX Runtime lies; a script has no home
		"PATH=" + tools + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"EXAMPLES=" + filepath.Join(root, "example_test"),
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
			env.Setenv(goldentree.EnvReview, filepath.Join(env.WorkDir, ".review"))
			err := os.CopyFS(env.WorkDir, os.DirFS(filepath.Join("testdata", "module")))
			if err != nil {
				return err
			}
			return usermodule.Make(root, env.WorkDir)
		},
		Condition: func(name string) (bool, error) {
			if name != "ort" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			_, err := engines.ONNXRuntime.Library()
			if err != nil && backends.Required(name) {
				return false, err
			}
			return err == nil, nil
		},
	})
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
