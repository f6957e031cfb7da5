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

// AcceptCommand returns the command that accepts a spec's current outputs as golden, to be run
// in the module's root. Failure messages end with this command. chosen holds the flags that
// select the spec within its package; without flags the command covers the whole package.
//
//	go test -v ./example_test/digits -golden.update -ginkgo.focus='^Digits still matches$'
//
// The command repeats this process's build tags, since the spec may need them. It has -v
// because go test hides the output of passing packages, and an update prints how far each
// output moved.
//
// Outside a module, for example in a test binary that was moved, the command covers every
// package.
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

// refusal is the error for a spec whose golden file an update would change.
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
	return fmt.Errorf("golden: %s does not match: %s; to accept the change: "+
		"modelparity golden accept %s", c.Path, orUnknown(why), quoted(fromRoot(c.Path)))
}

// fromRoot returns a path relative to its tree's root, with slashes, if it is below the root.
func fromRoot(path string) string {
	inside, err := filepath.Rel(tree("."), runfile.Unlinked(path))
	if err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside)
	}
	return path
}

// packagePath returns the package's folder relative to the module's root, in the form that the
// go command expects, or "" outside a module.
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

// moduleRoot returns the nearest folder, from the given one upwards, that contains a go.mod, or
// "" if there is none.
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

// buildTags returns the build tags (-tags) that this process was built with.
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

// flags formats arguments of the form -name=value for a shell.
func flags(all []string) string {
	var b strings.Builder
	for _, one := range all {
		name, value, _ := strings.Cut(one, "=")
		b.WriteString(" " + name + "=" + quoted(value))
	}
	return b.String()
}

// OnlyTest returns the -run flag that selects exactly the test with that name, as reported by
// [testing.T.Name].
func OnlyTest(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return "-run=" + strings.Join(parts, "/")
}

// quoted quotes a path for a shell if it contains special characters.
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
