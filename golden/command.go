package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/modelparity/modelparity/internal/runfile"
)

// AcceptCommand is the command that accepts the outputs of a spec of this process as golden, to be
// run in the module's root. It is the last line of a failure. chosen are the flags that choose the
// spec among those of its package; without any, the command is for the whole package.
//
//	go test -v ./example_test/digits -golden.update -ginkgo.focus='^Digits still matches$'
//
// It has the -tags that this process was built with, without which the spec might not be there, and
// -v because go test hides the output of packages that pass, and an update prints how far
// each output moved.
//
// Outside a module, as in a test binary that was moved, it is the command for every package.
func AcceptCommand(chosen ...string) string {
	tags := ""
	if given := buildTags(); given != nil {
		tags = " -tags=" + quoted(strings.Join(given, ","))
	}
	of := packagePath()
	if of == "" {
		return EnvUpdate + "=1 go test -v" + tags + " ./..." + flags(chosen)
	}
	return "go test -v" + tags + " " + quoted(of) + " -golden.update" + flags(chosen)
}

// refusal is the error of a spec whose golden file is not as an update would leave it.
func (c Change) refusal() error {
	if !c.Proposed || !c.Kind.writes() {
		return nil
	}
	why := c.Reason
	switch {
	case c.Kind == Created:
		why = "it does not exist"
	case c.Damage != "":
		why = c.Damage
	}
	return fmt.Errorf("golden: %s does not hold: %s; to accept the change: "+
		"modelparity golden accept %s", c.Path, orUnknown(why), quoted(fromRoot(c.Path)))
}

// fromRoot is a path from the root of its tree, with slashes, where it lies below it.
func fromRoot(path string) string {
	inside, err := filepath.Rel(tree("."), runfile.Unlinked(path))
	if err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside)
	}
	return path
}

// packagePath is the package's folder as the go command wants it, from the module's root; ""
// outside a module.
func packagePath() string {
	folder, err := os.Getwd() // go test runs a test binary in its package's folder
	if err != nil {
		return ""
	}
	root := moduleRoot(folder)
	if root == "" {
		return ""
	}
	relative, err := filepath.Rel(root, folder)
	if err != nil {
		return ""
	}
	if relative == "." {
		return "."
	}
	return "./" + filepath.ToSlash(relative)
}

// moduleRoot is the nearest folder with a go.mod, or "".
func moduleRoot(folder string) string {
	for root := folder; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}

// buildTags are those that this process was built with, by -tags.
func buildTags() []string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-tags" && setting.Value != "" {
				return strings.Split(setting.Value, ",")
			}
		}
	}
	return nil
}

// flags are arguments of the form -name=value for a shell.
func flags(all []string) string {
	var b strings.Builder
	for _, one := range all {
		name, value, _ := strings.Cut(one, "=")
		b.WriteString(" " + name + "=" + quoted(value))
	}
	return b.String()
}

// OnlyTest is the flag that chooses the test of that name, as *testing.T has it, among those of its
// package.
func OnlyTest(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return "-run=" + strings.Join(parts, "/")
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
