// Package pip lets Python's package installer download wheels, which are where engines and ONNX's
// test data are published. Nothing is installed.
//
// pip takes a wheel from the index or mirror that the user configured; the checksum alone decides
// whether it is accepted. It runs isolated: from an empty folder and without Python's variables
// and the user's own packages, so that no file of the folder that a command is called in is run.
package pip

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/python"
	"github.com/modelparity/modelparity/internal/regular"
)

// Download puts the wheel into folder, which must exist, and gives its path. The interpreter is
// a name or a path; "" takes python3. The wheel need not fit this machine. A file with
// another sum is refused, whatever the index says of it.
func Download(ctx context.Context, interpreter string, w Wheel, folder string) (string, error) {
	t, err := w.tags()
	if err == nil {
		err = w.Check()
	}
	if err != nil {
		return "", err
	}
	interpreter, err = absolute(interpreter)
	if err != nil {
		return "", err
	}
	empty, err := os.MkdirTemp("", "modelparity-pip-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(empty) //nolint:errcheck // it is in the folder for temporary files
	wanted := filepath.Join(empty, "wanted.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", t.project, t.version, w.SHA256)
	if err := os.WriteFile(wanted, []byte(line), 0o600); err != nil {
		return "", err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	args := []string{"-m", "pip", "download", "--quiet", "--disable-pip-version-check",
		"--no-input", "--no-deps", "--only-binary=:all:", "--require-hashes",
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
	return found(folder, w)
}

// absolute returns the interpreter's absolute path, because pip runs in a different folder.
func absolute(interpreter string) (string, error) {
	path, err := exec.LookPath(cmp.Or(interpreter, "python3"))
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// found is the path of the wheel that pip left in folder, with its sum checked.
func found(folder string, w Wheel) (string, error) {
	path := filepath.Join(folder, w.File)
	file, err := regular.Open(path)
	if err != nil {
		return "", fmt.Errorf("pip did not leave %s: %w", w.File, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != w.SHA256 {
		return "", fmt.Errorf("%s has the sha256 %s, expected %s: the package index gave another "+
			"file", w.File, got, w.SHA256)
	}
	return path, nil
}

// misleading lists variables that would make pip do other work than it is told to: run in another
// interpreter, or install further requirements.
var misleading = []string{"PIP_PYTHON", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT",
	"PIP_NO_BINARY", "PIP_TARGET", "PIP_PLATFORM", "PIP_ABI"}

// located lists variables that hold paths. Relative ones mean the caller's folder.
var located = []string{"PIP_CONFIG_FILE", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_FIND_LINKS",
	"PIP_CACHE_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"}

// environment returns the caller's environment without what misleads pip. It keeps where the user's
// indexes are and how they are reached.
func environment(caller []string) []string {
	var kept []string
	for _, variable := range caller {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case slices.Contains(misleading, name):
			continue
		case slices.Contains(located, name):
			variable = name + "=" + fromHere(value)
		}
		kept = append(kept, variable)
	}
	return kept
}

// fromHere makes the relative paths in a list absolute, as far as they name something.
func fromHere(list string) string {
	if _, err := os.Stat(list); err == nil { // one path, which may hold spaces
		if path, err := filepath.Abs(list); err == nil {
			return path
		}
	}
	words := strings.Fields(list)
	for i, word := range words {
		if _, err := os.Stat(word); err != nil || strings.Contains(word, "://") {
			continue
		}
		if path, err := filepath.Abs(word); err == nil {
			words[i] = path
		}
	}
	return strings.Join(words, " ")
}
