// Package enginetest checks the printed forms of engines, and helps to test engines.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/option"
)

// Engine has the methods of backends.Engine that return the engine as text.
type Engine interface {
	Text() string
	String() string
	GoString() string
}

// Printed checks the printed forms of engines. Call it from a test of the package that defines the
// engines. It checks that:
//
//   - The Go source of all engines compiles in one file. Each engine's source evaluates to an
//     engine for which Text, String and GoString return the same as for the original. If the source
//     names omitted options in a comment, it need only compile.
//   - Every exported function that returns an option occurs in some engine's source or in its
//     comment. A function that only calls another function, such as
//     "return option.Join(A(), B())", counts as the functions that it calls.
func Printed(t *testing.T, engines ...Engine) {
	t.Helper()
	var source string
	var imports []string
	for _, e := range engines {
		paths, err := option.Imports(e)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, paths...)
		source += fmt.Sprintf("\tsay(%#v)\n", e)
	}
	slices.Sort(imports)
	for _, name := range constructors(t) {
		if !strings.Contains(source, "."+name+"(") {
			t.Errorf("no engine in this test has the option %s; add one, to test how the option is "+
				"printed", name)
		}
	}
	file := "package main\n\nimport (\n\t\"fmt\"\n"
	for _, path := range slices.Compact(imports) {
		file += fmt.Sprintf("\t%q\n", path)
	}
	file += ")\n\nfunc main() {\n" + source + "}\n\nfunc say(e interface{ Text() string }) {\n" +
		"\tfmt.Printf(\"%q\\n\", []string{e.Text(), fmt.Sprint(e), fmt.Sprintf(\"%#v\", e)})\n}\n"
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, file)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(engines) {
		t.Fatalf("%d engines printed %d lines:\n%s", len(engines), len(lines), out)
	}
	for i, e := range engines {
		want := fmt.Sprintf("%q", []string{e.Text(), fmt.Sprint(e), fmt.Sprintf("%#v", e)})
		if lines[i] != want && !strings.Contains(e.GoString(), option.Comment) {
			t.Errorf("%#v evaluates to a different engine:\n%s\nwant\n%s", e, lines[i], want)
		}
	}
}

// optionType is a regular expression that finds the option types of a package. constructor is a
// regular expression that finds the exported functions returning such a type; %s is the type's
// name. The second group of constructor matches if the function's first statement returns the
// result of option.Join or of another exported function. Package enginetest ignores such functions.
var (
	optionType  = regexp.MustCompile(`(?m)^type (\w+) = option\.Option\[`)
	constructor = `(?m)^func ([A-Z]\w*)\([^{]*\) %s \{\s*(return (?:option\.Join|[A-Z]\w*)\()?`
)

// constructors returns the names of the exported functions that return an option, in the package in
// the current folder.
func constructors(t *testing.T) (names []string) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			source += string(text)
		}
	}
	for _, kind := range optionType.FindAllStringSubmatch(source, -1) {
		functions := regexp.MustCompile(fmt.Sprintf(constructor, kind[1]))
		for _, f := range functions.FindAllStringSubmatch(source, -1) {
			if f[2] == "" {
				names = append(names, f[1])
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("no options were found: the test must run in the package's folder")
	}
	return names
}
