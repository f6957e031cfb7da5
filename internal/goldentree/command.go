package goldentree

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// EnvUpdate is the environment variable that has the same effect as the flag -golden.update. Use it
// if some packages under test do not define that flag.
const EnvUpdate = "GOLDEN_UPDATE"

// AcceptCommand returns the command that accepts a spec's current outputs as golden. The user runs
// it in the module's root; failure messages end with it. chosen contains the flags that select the
// spec within its package; without flags, the command covers the whole package.
//
//	go test -v ./example_test/digits -golden.update -ginkgo.focus='^Digits still matches$'
//
// The command repeats this process's build tags, since the spec may need them. It includes -v
// because an update prints how far each output moved, and go test hides the output of passing
// packages.
//
// Outside a module, for example in a test binary that was moved, the command covers every package.
func AcceptCommand(chosen ...string) string {
	tags := ""
	if given := buildTags(); given != "" {
		tags = " -tags=" + Quoted(given)
	}
	of := packagePath()
	if of == "" {
		return EnvUpdate + "=1 go test -v" + tags + " ./..." + flags(chosen)
	}
	return "go test -v" + tags + " " + Quoted(of) + " -golden.update" + flags(chosen)
}

// packagePath returns the package's folder relative to the module's root, in the form that the go
// command expects. Outside a module it returns "".
func packagePath() string {
	folder, err := os.Getwd() // go test runs a test binary in its package's folder
	if err != nil {
		return ""
	}
	root := moduleRoot(folder)
	switch relative, err := filepath.Rel(root, folder); {
	case root == "" || err != nil:
		return ""
	case relative == ".":
		return "."
	default:
		return "./" + filepath.ToSlash(relative)
	}
}

// moduleRoot returns the nearest folder that contains a go.mod: path itself or one above it. It
// returns "" if there is none.
func moduleRoot(path string) string {
	for root := path; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}

// buildTags returns the value of -tags that this process was built with.
func buildTags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-tags" {
				return setting.Value
			}
		}
	}
	return ""
}

// flags formats arguments of the form -name=value, quoted for a shell.
func flags(all []string) string {
	var b strings.Builder
	for _, one := range all {
		name, value, _ := strings.Cut(one, "=")
		b.WriteString(" " + name + "=" + Quoted(value))
	}
	return b.String()
}

// OnlyTest returns the -run flag that selects only the test with the given [testing.T.Name].
func OnlyTest(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return "-run=" + strings.Join(parts, "/")
}

// Quoted quotes a path for a shell if it contains special characters.
func Quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("./_-+@%", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
