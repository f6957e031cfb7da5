package doctor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// attributes are the lines of .gitattributes that golden files want: the head's line ends stay, two
// sides are never merged line by line, hosts do not count them as sources, and no line ends are
// changed in packed data.
var attributes = []struct{ line, path, name, want string }{
	{"**/testdata/golden/**/*.json text eol=lf -merge linguist-generated",
		"testdata/golden/digits.json", "merge", "unset"},
	{"**/testdata/golden/**/*.npy.gz binary",
		"testdata/golden/digits.data/0.npy.gz", "text", "unset"},
}

// GitAdvice says which lines .gitattributes lacks for the golden files of the tree that a folder is
// in; "" where it lacks none, or where git does not know the folder.
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

// git runs git in a folder, without what a hook around it says of another repository.
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
