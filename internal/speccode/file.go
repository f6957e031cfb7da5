package speccode

import (
	"bytes"
	"fmt"
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
	for _, name := range option.Qualifiers(parsed) {
		if packages[name] != "" {
			imports = append(imports, module+packages[name])
		}
	}
	slices.Sort(imports)
	pkg, _ := Names(path)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\npackage %s\n\nimport (\n\t\"testing\"\n\n", about, pkg)
	if strings.Contains(declarations, "NewWithT(t)") {
		fmt.Fprintf(&b, "\t. %q\n\n\t. %q\n", "github.com/onsi/gomega", module+"matchers")
	}
	for _, path := range slices.Compact(imports) {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	fmt.Fprintf(&b, ")\n%s", declarations)
	return format.Source(b.Bytes())
}
