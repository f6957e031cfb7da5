package doctor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// attributes lists the lines that .gitattributes should have for golden files. They prevent git
// from converting line endings in the files' headers and packed data, and from merging two versions
// of a file line by line. They also tell hosting sites not to count the files as source code.
var attributes = []struct{ line, path, name, want string }{
	{"**/testdata/golden/**/*.json text eol=lf -merge linguist-generated",
		"testdata/golden/digits.json", "merge", "unset"},
	{"**/testdata/golden/**/*.npy.gz binary",
		"testdata/golden/digits.data/0.npy.gz", "text", "unset"},
}

// GitAdvice returns the lines that are missing from .gitattributes for the golden files in the git
// repository that contains folder. It returns "" if no line is missing, or if the folder is not in
// a git repository.
func GitAdvice(folder string) string {
	top, err := git(folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	root := strings.TrimRight(top, "\r\n")
	var missing []string
	for _, a := range attributes {
		said, err := git(root, "check-attr", a.name, "--", filepath.FromSlash(a.path))
		if err == nil && !strings.HasSuffix(strings.TrimSpace(said), ": "+a.want) {
			missing = append(missing, "    "+a.line+"\n")
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("git: for golden files, add to %s:\n%s", filepath.Join(root, ".gitattributes"),
		strings.Join(missing, ""))
}

// git runs git in a folder. It clears git's environment variables: inside a git hook, they would
// make git use a different repository.
func git(folder string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "GIT_") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err
}
