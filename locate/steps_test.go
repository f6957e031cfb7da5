package locate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("The steps of a search", func() {
	It("leave what earlier steps returned as it was", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		dropped, adopted := 0, 0
		for seed := range uint64(80) {
			random, actual, expected, how := rewritten(seed)
			kinds := slices.Sorted(maps.Keys(faults))
			if faults[kinds[random.IntN(len(kinds))]](random, &actual) < 0 {
				continue
			}
			atOnce, atLast, drops, adopts, err := locate.Steps(ctx, imageSide("actual", actual),
				imageSide("expected", expected), visible())
			Expect(err).NotTo(HaveOccurred())
			Expect(atLast).To(Equal(atOnce), "seed %d: %s", seed, how)
			dropped, adopted = dropped+drops, adopted+adopts
		}
		Expect(dropped).To(BeNumerically(">", 0))
		Expect(adopted).To(BeNumerically(">", 0))
	})

	It("are spread over types with at most 20 methods", func() {
		methods := map[string]int{}
		Expect(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					methods[fmt.Sprintf("%s.%v", filepath.Dir(path), of)]++
				}
			}
			return nil
		})).To(Succeed())
		Expect(methods).To(HaveKey("..Finding"))
		Expect(methods).To(HaveEach(BeNumerically("<=", 20)))
	})
})
