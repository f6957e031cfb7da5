package option

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path"
	"reflect"
	"slices"
)

// module is the path prefix of the packages, such as tensor, that arguments of options may come
// from.
const module = "github.com/modelparity/modelparity/"

// Imports returns the sorted import paths that a file needs if it contains the engine's GoString.
// An engine that wraps a different engine, so that its source contains the wrapped engine's source,
// must have a method Wrapped that returns the wrapped engine. An engine whose source names further
// packages, in addition to the one of the engine's type, must have a method Packages that returns
// their import paths.
func Imports(engine fmt.GoStringer) ([]string, error) {
	expression, err := parser.ParseExpr(engine.GoString())
	if err != nil {
		return nil, fmt.Errorf("%#v is not Go: %w", engine, err)
	}
	t := reflect.TypeOf(engine)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	known := map[string]string{}
	if w, ok := engine.(interface{ Wrapped() fmt.GoStringer }); ok && w.Wrapped() != nil {
		inner, err := Imports(w.Wrapped())
		if err != nil {
			return nil, err
		}
		for _, p := range inner {
			known[path.Base(p)] = p
		}
	}
	if e, ok := engine.(interface{ Packages() []string }); ok {
		for _, p := range e.Packages() {
			known[path.Base(p)] = p
		}
	}
	var paths []string
	for _, name := range Qualifiers(expression) {
		switch p, isKnown := known[name]; {
		case name == path.Base(t.PkgPath()):
			paths = append(paths, t.PkgPath())
		case isKnown:
			paths = append(paths, p)
		case name == "math" || name == "time":
			paths = append(paths, name)
		default:
			paths = append(paths, module+name)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// Qualifiers returns the identifiers that stand before a dot in Go source, such as the names of
// packages.
func Qualifiers(source ast.Node) (names []string) {
	ast.Inspect(source, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names = append(names, x.Name)
			}
		}
		return true
	})
	return names
}
