package option

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path"
	"reflect"
	"slices"
)

// module is where the packages lie that arguments of options come from, such as tensor.
const module = "github.com/modelparity/modelparity/"

// Imports is the import paths that a file needs in which engine's GoString stands, sorted.
func Imports(engine fmt.GoStringer) ([]string, error) {
	expression, err := parser.ParseExpr(engine.GoString())
	if err != nil {
		return nil, fmt.Errorf("%#v is not Go: %w", engine, err)
	}
	t := reflect.TypeOf(engine)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var paths []string
	ast.Inspect(expression, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				switch x.Name {
				case path.Base(t.PkgPath()):
					paths = append(paths, t.PkgPath())
				case "math", "time":
					paths = append(paths, x.Name)
				default:
					paths = append(paths, module+x.Name)
				}
			}
		}
		return true
	})
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
