package locate_test

import (
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

var _ = Describe("Constants that one side computes and the other has folded", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// embedded adds rows of a table, which a Gather looks up, and multiplies by a square matrix, which
	// a Transpose turns. The folded graph has the results of both as weights, under other names.
	embedded := func(fold bool) onnxtest.Graph {
		d := &drawn{onnxtest.Graph{Name: "embedded",
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", channels, edge, edge}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", channels, edge, edge}}}},
			rand.New(rand.NewPCG(3, 4))}
		rows := d.weight("table", 0, 0.5, edge, edge)
		matrix := d.weight("matrix", 0, 0.5, edge, edge)
		if fold {
			turned := initializer(&d.Graph, "matrix")
			values := floats(turned.Raw)
			across := make([]float32, len(values))
			for i, v := range values {
				across[i%edge*edge+i/edge] = v
			}
			turned.Raw = onnxtest.Float32s(across...)
		} else {
			d.Initializers = append(d.Initializers, onnxtest.Tensor{Name: "order", Type: 7,
				Dims: []int64{edge}, Raw: onnxtest.Int64s(0, 1, 2, 3, 4, 5)})
			rows = d.node("Gather", "rows", []string{rows, "order"})
			matrix = d.node("Transpose", "turn", []string{matrix}, ints("perm", 1, 0))
		}
		sum := d.node("Add", "sum", []string{"x", rows})
		product := d.node("MatMul", "product", []string{d.node("Tanh", "bent", []string{sum}), matrix})
		d.node("Sin", "last", []string{product})
		d.Nodes[len(d.Nodes)-1].Out[0] = "y"
		if fold {
			renamedGraph(rand.New(rand.NewPCG(1, 1)), &d.Graph)
		}
		return d.Graph
	}

	DescribeTable("are not taken for right because their nodes have no counterpart",
		func(ctx SpecContext, wrong func(*onnxtest.Graph), nodes ...string) {
			actual, expected := embedded(false), embedded(true)
			Expect(imagesPart(ctx, actual, expected).Fault).To(BeNil(), "healthy")
			wrong(&actual)
			found := imagesPart(ctx, actual, expected)
			Expect(found.Fault).NotTo(BeNil(), found.Cause)
			Expect(accused(found)).To(Equal(nodes), found.Cause)
			Expect(found.Fault.Healed).To(BeTrue())
		},
		Entry("a wrong table: the lookup or the sum", constant("table", 1), "rows", "sum"),
		Entry("a wrong lookup: the lookup or the sum", func(g *onnxtest.Graph) {
			initializer(g, "order").Raw = onnxtest.Int64s(0, 1, 2, 3, 5, 4)
		}, "rows", "sum"),
		Entry("a square matrix that is not turned: the Transpose or the product",
			func(g *onnxtest.Graph) {
				nodeOf(g, "turn").Attrs = []onnxtest.Attr{ints("perm", 0, 1)}
			}, "turn", "product"),
		Entry("a wrong matrix, turned as it should be: the product", constant("matrix", 0.5), "product"),
		Entry("a wrong sum of the right rows: the sum", func(g *onnxtest.Graph) {
			nodeOf(g, "sum").Op = "Sub"
		}, "sum"),
		Entry("a wrong product by the right matrix: the product", func(g *onnxtest.Graph) {
			nodeOf(g, "product").In[0] = "sum_out"
		}, "product"),
	)
})
