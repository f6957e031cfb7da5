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
// Imports knows the package of the engine's type, the packages math and time, and the packages in
// the module's top folder. If the GoString names other packages, the engine must have a method
// Packages that returns their import paths. If the engine wraps another engine, its GoString
// contains the other engine's GoString. Such an engine must have a method Wrapped that returns the
// other engine.
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
