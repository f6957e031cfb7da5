package housetest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opening are the functions that open a file of any kind to read it, for which package
// internal/regular stands in.
var opening = map[string][]string{
	"archive/zip": {"OpenReader"},
	"crypto/tls":  {"LoadX509KeyPair"},
	"debug/elf":   {"Open"},
	"io/fs":       {"ReadFile"},
	"io/ioutil":   {"ReadFile"},
	"net/http":    {"Dir", "ServeFile"},
	"os":          {"Open", "ReadFile", "DirFS", "OpenInRoot"},
}

// openers may use them.
var openers = map[string]string{
	"internal/memory/memory.go":       "reads /proc and /sys",
	"internal/memory/memory_linux.go": "reads /proc and /sys",
	"internal/engines/fetch.go":       "unpacks the wheel that package pip has summed",
	"internal/files/files.go":         "lists names",
}

func TestReadersOpenRegularFilesAlone(t *testing.T) {
	used := map[string]bool{}
	for _, name := range sources(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || isHelper(filepath.ToSlash(filepath.Dir(name))) ||
			roomOf(name) == "conformance" {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string]string{} // the path by the name in the file
		for _, spec := range parsed.Imports {
			at, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			as := at[strings.LastIndex(at, "/")+1:]
			if spec.Name != nil {
				as = spec.Name.Name
			}
			imported[as] = at
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			of, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			in, ok := of.X.(*ast.Ident)
			if !ok || !slices.Contains(opening[imported[in.Name]], of.Sel.Name) {
				return true
			}
			if used[name] = true; openers[name] == "" {
				t.Errorf("%v: %s.%s opens devices and pipes, too; use package internal/regular",
					fset.Position(of.Pos()), in.Name, of.Sel.Name)
			}
			return true
		})
	}
	for name := range openers {
		if !used[name] {
			t.Errorf("%s opens nothing any more, so take it out of the list", name)
		}
	}
}
