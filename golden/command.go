package golden

import (
	"os"
	"path/filepath"
	"strings"
)

// AcceptCommand is the command that accepts the outputs of the specs in this process as golden, to
// be run in the module's root. It is the last line of a failure.
//
//	go test -v ./example_test/digits -golden.update
//
// It has -v because go test hides what a package says that passes, and an update says how far each
// output moved.
//
// Where no module is around the working directory, as in a test binary that was moved, it is the
// command that reaches any package.
func AcceptCommand() string {
	const anywhere = EnvUpdate + "=1 go test -v ./..."
	folder, err := os.Getwd() // go test runs a test binary in its package's folder
	if err != nil {
		return anywhere
	}
	for root := folder; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			relative, err := filepath.Rel(root, folder)
			if err != nil {
				return anywhere
			}
			if relative == "." {
				return "go test -v . -golden.update"
			}
			return "go test -v " + quoted("./"+filepath.ToSlash(relative)) + " -golden.update"
		}
		if root == filepath.Dir(root) {
			return anywhere
		}
	}
}

// quoted protects a path that a shell would take apart.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("./_-+@%", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
