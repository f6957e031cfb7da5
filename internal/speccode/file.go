package speccode

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/option"
)

const module = "github.com/modelparity/modelparity/"

// packages maps the packages that declarations in a spec may use to their folders in the module.
// The packages of engines are not listed; see [option.Imports].
var packages = map[string]string{"backends": "backends", "compare": "compare",
	"fixtures": "fixtures", "loaders": "loaders", "locate": "locate",
	"openvino": "backends/openvino", "process": "backends/process", "runs": "runs",
	"tensor": "tensor"}

// File returns the source of a spec that is written to path: the comment about, the package, the
// imports, and the given declarations. engines are the engines whose source the declarations
// contain.
func File[E fmt.GoStringer](about, path, declarations string, engines ...E) ([]byte, error) {
	var imports []string
	for _, e := range engines {
		paths, err := option.Imports(e)
		if err != nil {
			return nil, err
		}
		imports = append(imports, paths...)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+declarations,
		parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the generated spec is not valid Go: %w", err)
	}
	before := ""
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] != "" {
				imports = append(imports, module+packages[x.Name])
			}
		case *ast.Ident:
			if n.Name == "NewWithT" {
				before = "\t. \"github.com/onsi/gomega\"\n\n\t. \"" + module + "matchers\"\n"
			}
		}
		return true
	})
	slices.Sort(imports)
	for _, path := range slices.Compact(imports) {
		before += fmt.Sprintf("\t%q\n", path)
	}
	pkg, _ := Names(path)
	return format.Source([]byte("// " + about + "\npackage " + pkg + "\n\nimport (\n\t\"testing\"\n\n" +
		before + ")\n" + strings.TrimRight(declarations, "\n") + "\n"))
}
