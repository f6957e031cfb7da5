package housetest_test

import (
	"path"
	"slices"
	"testing"
)

// starters are the packages that start programs, with what they start. Python is started by
// internal/python alone, which keeps it from running modules of the working folder.
var starters = map[string]string{
	"backends/process":    "looks for the program of process.Command",
	"internal/child":      "this program, and what python, process and remote name",
	"internal/cli":        "the desktop's viewer of pictures",
	"internal/cli/doctor": "this program, and git",
	"internal/cli/mutate": "go, and the tests that it compiled",
	"internal/pip":        "looks for the interpreter that internal/python starts",
	"internal/python":     "Python",
	"locate":              "the user's judge command",
}

func TestOnlyTheseStartPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range goFiles(t) {
		folder := path.Dir(file.path)
		if file.test || file.program || isHelper(folder) || !slices.Contains(file.imports, "os/exec") {
			continue
		}
		seen[folder] = true
		if starters[folder] == "" {
			t.Errorf("%s imports os/exec: start Python by internal/python, and list what else it starts",
				file.path)
		}
	}
	for folder := range starters {
		if !seen[folder] {
			t.Errorf("%s no longer starts programs, so take it out of the list", folder)
		}
	}
}
