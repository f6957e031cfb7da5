package golden_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A tensor may have gigabytes, so whoever hashes it once more doubles an update's time. Nobody sees
// that in a spec of small tensors, but in who calls what.
var _ = It("describes and hashes the tensors of an update once", func() {
	callers := map[string][]string{}
	files, err := filepath.Glob("*.go")
	Expect(err).NotTo(HaveOccurred())
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		Expect(err).NotTo(HaveOccurred())
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if called, ok := call.Fun.(*ast.Ident); ok {
						callers[called.Name] = append(callers[called.Name], function.Name.Name)
					}
				}
				return true
			})
		}
	}
	Expect(callers["checksum"]).To(ConsistOf("describe", "sampleOf", "holds", "vouched"),
		"the last three of a sample, or of the run that is held to one")
	Expect(callers["describe"]).To(ConsistOf("headOf", "holds"), "holds reads a file")
	Expect(callers["headOf"]).To(ConsistOf("Prepare", "Write", "saveJSON"),
		"one for each way to write")
})
