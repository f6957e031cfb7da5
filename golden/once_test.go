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

// A tensor may have gigabytes, so whoever hashes it once more doubles an update's time. No one sees
// that in a spec of small tensors, but in who calls what.
var _ = It("describes and hashes the tensors of an update once", func() {
	callers := map[string][]string{}
	var files []string
	for _, folder := range []string{".", "../runs", "../internal/runfile"} {
		found, err := filepath.Glob(folder + "/*.go")
		Expect(err).NotTo(HaveOccurred())
		files = append(files, found...)
	}
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
					name := ""
					switch called := call.Fun.(type) {
					case *ast.Ident:
						name = called.Name
					case *ast.SelectorExpr:
						name = "." + called.Sel.Name
					}
					callers[name] = append(callers[name], function.Name.Name)
				}
				return true
			})
		}
	}
	Expect(callers["checksum"]).To(ConsistOf("describe", "SampleOf", "holds"),
		"the last two of a sample")
	Expect(callers["describe"]).To(ConsistOf("HeadOf", "DescribedLike"))
	Expect(callers[".DescribedLike"]).To(ConsistOf("holds", "now"),
		"which read a file, and once a run that must match a sample")
	Expect(callers[".HeadOf"]).To(ConsistOf("Prepare", "Write", "saveJSON"),
		"one for each way to write")
})
