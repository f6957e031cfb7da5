package housetest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// expecting are the matchers whose texts must exist.
var expecting = []string{"ContainSubstring", "Equal", "HaveKeyWithValue", "HavePrefix",
	"HaveSuffix", "MatchError", "MatchRegexp"}

// foreign lists the expected texts that another program writes, and that program.
var foreign = map[string]string{
	"contradictory IOptimizationProfile": "TensorRT",
	"nil pointer dereference":            "Go",
	"not found in the tactic replay":     "Polygraphy",
}

var (
	verb  = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]`)
	plain = regexp.MustCompile(`^[a-z]{2,}$`)
)

// TestTextsOfGPUSpecsExist finds expectations that were forgotten when a message was reworded: CI
// has no GPU, so it does not run specs labelled gpu. Every text that they expect must be in a
// string of the product, or of a spec that runs without a GPU.
func TestTextsOfGPUSpecsExist(t *testing.T) {
	var formats [][]string // each is the text between the verbs
	expected := map[string]token.Position{}
	for _, name := range sources(t, ".go") {
		if isHelper(path.Dir(name)) || strings.HasPrefix(name, "internal/housetest/") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(name, "_test.go")
		e := expectations{t, fset, expected, map[*ast.Ident]bool{}}
		if strings.HasPrefix(path.Base(name), "gpu_") {
			e.of(file)
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field:
				return n == nil
			case *ast.CallExpr:
				if test && isForGPU(n) {
					e.of(n)
					return false
				}
			case ast.Expr:
				if pieces := joined(n); pieces != nil {
					if !test {
						pieces = verb.Split(strings.Join(pieces, "%s"), -1)
					}
					formats = append(formats, pieces)
					return false
				}
			}
			return true
		})
	}
	if len(expected) == 0 {
		t.Error("no spec labelled gpu expects a text, so this test looks at the wrong files")
	}
	for text, at := range expected {
		printed := slices.ContainsFunc(formats, func(f []string) bool { return prints(f, text) })
		switch {
		case !printed && foreign[text] == "":
			t.Errorf("%s: neither the product nor a spec without a GPU has the text %q: if it was "+
				"reworded, expect the new one", at, text)
		case printed && foreign[text] != "":
			t.Errorf("%s: the product has the text %q, so take it out of the list", at, text)
		}
	}
	for text := range foreign {
		if _, found := expected[text]; !found {
			t.Errorf("no spec expects %q, so take it out of the list", text)
		}
	}
}

// isForGPU says whether a container or a spec has the label gpu.
func isForGPU(container *ast.CallExpr) bool {
	return slices.ContainsFunc(container.Args, func(argument ast.Expr) bool {
		label, ok := argument.(*ast.CallExpr)
		return ok && called(label) == "Label" && slices.ContainsFunc(label.Args,
			func(e ast.Expr) bool { return slices.Equal(joined(e), []string{"gpu"}) })
	})
}

// called is the name of the function that a call names, without its package.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// joined is the text of a string literal, or of several that are added. The values that are added
// part it. Any other expression has none.
func joined(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.BinaryExpr:
		before, after := joined(e.X), joined(e.Y)
		switch {
		case e.Op != token.ADD || before == nil && after == nil:
		case before == nil:
			return append([]string{""}, after...)
		case after == nil:
			return append(before, "")
		default:
			before[len(before)-1] += after[0]
			return append(before, after[1:]...)
		}
	}
	return nil
}

// expectations collects what specs expect.
type expectations struct {
	t    *testing.T
	fset *token.FileSet
	all  map[string]token.Position
	read map[*ast.Ident]bool // parameters of tables
}

// of collects the texts of all matchers in a file, a container or a spec.
func (e expectations) of(specs ast.Node) {
	ast.Inspect(specs, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		switch {
		case !ok:
		case called(call) == "DescribeTable":
			e.ofTable(call)
		case slices.Contains(expecting, called(call)):
			for _, argument := range call.Args {
				e.add(called(call), argument)
			}
		}
		return true
	})
}

// ofTable collects the texts in entries that the table's function gives to a matcher.
func (e expectations) ofTable(table *ast.CallExpr) {
	for _, argument := range table.Args {
		body, ok := argument.(*ast.FuncLit)
		if !ok {
			continue
		}
		var parameters []string
		for _, field := range body.Type.Params.List {
			for _, name := range field.Names {
				parameters = append(parameters, name.Name)
			}
		}
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains(expecting, called(call)) {
				return true
			}
			for _, given := range call.Args {
				name, ok := given.(*ast.Ident)
				if !ok || !slices.Contains(parameters, name.Name) {
					continue
				}
				e.read[name] = true
				fromEnd := len(parameters) - slices.Index(parameters, name.Name)
				for _, entry := range table.Args {
					if entry, ok := entry.(*ast.CallExpr); ok && called(entry) == "Entry" {
						e.add(called(call), entry.Args[len(entry.Args)-fromEnd])
					}
				}
			}
			return true
		})
	}
}

// add adds the texts of a matcher's argument. Names of values and errors are none.
func (e expectations) add(matcher string, argument ast.Expr) {
	if name, ok := argument.(*ast.Ident); ok && !e.read[name] && takesText(matcher) {
		e.t.Errorf("%s: write the text as a literal, in the spec or in the table's entries",
			e.fset.Position(name.Pos()))
	}
	for _, text := range joined(argument) {
		texts := []string{text}
		if matcher == "MatchRegexp" {
			texts = e.literals(text)
		}
		for _, text := range texts {
			if plainWords(text) > 0 { // else it is a name or a number
				e.all[text] = e.fset.Position(argument.Pos())
			}
		}
	}
}

func takesText(matcher string) bool {
	return !slices.Contains([]string{"Equal", "HaveKeyWithValue", "MatchError"}, matcher)
}

// literals are the parts of a regular expression that match only themselves.
func (e expectations) literals(expression string) (all []string) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, part := range append(parsed.Sub, parsed) {
		if part.Op == syntax.OpLiteral {
			all = append(all, string(part.Rune))
		}
	}
	return all
}

// prints says whether text can be a part of what a format prints. Values may not make up most of
// text: a plain word in one counts three times.
func prints(format []string, text string) bool {
	for i, piece := range format {
		if strings.Contains(piece, text) {
			return true
		}
		for c := range len(text) {
			if strings.HasSuffix(piece, text[:c]) && printsAfter(format[i+1:], text[c:], words(text[:c])) {
				return true
			}
		}
	}
	return false
}

// printsAfter says whether text can be a value and then the pieces with values between them, or
// end before them. score is how many words of pieces were found so far, minus the words in values.
func printsAfter(pieces []string, text string, score int) bool {
	if len(pieces) == 0 {
		return false
	}
	for c := 1; c <= len(text); c++ {
		rest := text[c:]
		if strings.HasPrefix(pieces[0], rest) && score-cost(text[:c])+words(rest) >= 0 {
			return true
		}
		after, found := strings.CutPrefix(rest, pieces[0])
		if found && pieces[0] != "" &&
			printsAfter(pieces[1:], after, score-cost(text[:c])+words(pieces[0])) {
			return true
		}
	}
	return false
}

func words(text string) int { return len(strings.Fields(text)) }

func cost(value string) int { return words(value) + 2*plainWords(value) }

// plainWords counts the words that are not names or numbers.
func plainWords(text string) (n int) {
	for _, word := range strings.Fields(text) {
		if plain.MatchString(strings.Trim(word, "(),:;")) {
			n++
		}
	}
	return n
}
