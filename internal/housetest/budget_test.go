package housetest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
)

// The budgets of the house. One that is above its aim may only come down.
const (
	mostCode     = 97_467 // lines of Go and assembly; the aim is 92,000
	mostPackages = 34     // public ones
	mostNames    = 1_304  // exported names and methods
)

// TestCodeStaysInItsBudget counts the lines of Go and assembly that hold code, without tests.
func TestCodeStaysInItsBudget(t *testing.T) {
	code, comments := 0, 0
	for _, name := range sources(t, ".go", ".s") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		count := linesOfGo
		if strings.HasSuffix(name, ".s") {
			count = linesOfAssembly
		}
		codeOfFile, commentsOfFile := count(source)
		code, comments = code+codeOfFile, comments+commentsOfFile
	}
	t.Logf("%d lines of code and %d of comments (%.1f %%)", code, comments,
		100*float64(comments)/float64(code+comments))
	if code > mostCode {
		t.Errorf("%d lines of code; the budget is %d: delete before you add", code, mostCode)
	}
}

// linesOfGo counts the lines that hold a token, and those that hold a comment and none.
func linesOfGo(source []byte) (code, comments int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, scanner.ScanComments)
	const token0, comment0 = 1, 2
	lines := make(map[int]int)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		first := file.Line(pos)
		mark := token0
		switch {
		case tok == token.COMMENT:
			mark = comment0
		case tok == token.SEMICOLON && text == "\n":
			continue
		}
		for line := first; line <= first+strings.Count(text, "\n"); line++ {
			lines[line] |= mark
		}
	}
	for _, marks := range lines {
		if marks&token0 != 0 {
			code++
		} else {
			comments++
		}
	}
	return code, comments
}

func linesOfAssembly(source []byte) (code, comments int) {
	lines := bufio.NewScanner(bytes.NewReader(source))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "//"):
			comments++
		case line != "":
			code++
		}
	}
	return code, comments
}

// TestSurfaceStaysInItsBudget counts what a user can name: the public packages, their exported
// top-level names and the methods of exported types, promoted ones included. -v prints the table.
func TestSurfaceStaysInItsBudget(t *testing.T) {
	exports := make(map[string]string)
	var public []string
	for _, listed := range listed(t) {
		exports[listed.ImportPath] = listed.Export
		if !listed.DepOnly && listed.Name != "main" && len(listed.GoFiles) > 0 &&
			!strings.Contains(listed.ImportPath, "/internal/") {
			public = append(public, listed.ImportPath)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	imports := importer.ForCompiler(token.NewFileSet(), "gc", open)
	table := new(strings.Builder)
	rows := tabwriter.NewWriter(table, 0, 0, 2, ' ', tabwriter.AlignRight)
	all := 0
	for _, path := range public {
		imported, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		names, methods := surface(imported)
		all += names + methods
		fmt.Fprintf(rows, "%d\t%d\t\t%s\n", names, methods, path) //nolint:errcheck // a Builder
	}
	if err := rows.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d public packages, %d exported names and methods:\n%s", len(public), all, table)
	if len(public) > mostPackages {
		t.Errorf("%d public packages; the budget is %d", len(public), mostPackages)
	}
	if all > mostNames {
		t.Errorf("%d exported names and methods; the budget is %d", all, mostNames)
	}
}

func surface(imported *types.Package) (names, methods int) {
	for _, name := range imported.Scope().Names() {
		object := imported.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		names++
		declared, is := object.(*types.TypeName)
		if !is {
			continue
		}
		of := types.Unalias(declared.Type())
		if _, is := of.Underlying().(*types.Interface); !is {
			of = types.NewPointer(of)
		}
		set := types.NewMethodSet(of)
		for i := range set.Len() {
			if ast.IsExported(set.At(i).Obj().Name()) {
				methods++
			}
		}
	}
	return names, methods
}

type listedPackage struct {
	ImportPath, Name, Export string
	GoFiles                  []string
	DepOnly                  bool
}

// listed is every package of the module and what they import, with export data.
func listed(t *testing.T) []listedPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export",
		"-json=ImportPath,Name,Export,GoFiles,DepOnly", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listedPackage
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var one listedPackage
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, one)
	}
}
