package locate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// lostNode leaves an Identity in the place of an activation, as an exporter does with what it takes
// for a dropout.
func lostNode(random *rand.Rand, g *onnxtest.Graph) int {
	for range 50 {
		i := random.IntN(len(g.Nodes))
		if n := &g.Nodes[i]; n.Op == "Relu" || n.Op == "Tanh" {
			n.Op = "Identity"
			return i
		}
	}
	return -1
}

// extraNode puts a node behind one that computes with the input.
func extraNode(random *rand.Rand, g *onnxtest.Graph) int {
	for range 50 {
		i := random.IntN(len(g.Nodes) - 1)
		if op := g.Nodes[i].Op; op == "Conv" || op == "Add" || op == "Relu" || op == "Tanh" {
			insert(g, i, func(from, to string) []onnxtest.Node {
				return []onnxtest.Node{{Op: "Sigmoid", Name: to, In: []string{from}, Out: []string{to}}}
			})
			return i + 1
		}
	}
	return -1
}

var _ = Describe("A node that one side lacks", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("is named, and never what reads it",
		func(ctx SpecContext, plant fault, least int) {
			shown, exact := 0, 0
			for seed := range uint64(36) {
				random, actual, expected, how := rewritten(seed)
				if strings.Contains(how, "identities here") {
					continue // of two Identities in a row, either may be in the other node's place
				}
				at := plant(random, &actual)
				found := imagesPart(ctx, actual, expected)
				if found.Fault == nil {
					continue // it does not show
				}
				shown++
				var nodes []int
				for _, n := range found.Fault.Nodes {
					nodes = append(nodes, n.Index)
				}
				Expect(nodes).To(ContainElement(at), "seed %d: node %d, %s: %s", seed, at, how, found.Cause)
				if len(nodes) == 1 {
					exact++
				}
			}
			Expect(shown).To(BeNumerically(">=", 20))
			Expect(exact).To(BeNumerically(">=", shown*least/100), fmt.Sprint(exact, " of ", shown))
		},
		Entry("an activation with an Identity in its place", fault(lostNode), 75),
		Entry("a node too much", fault(extraNode), 75),
	)

	DescribeTable("is told from a Transpose between Reshapes", func(ctx SpecContext, halves bool,
		perm ...int64) {
		const groups, each = 3, 4
		const wide = groups * each
		// shuffled splits the channels in groups and interleaves them, as ShuffleNet does, which goes on
		// with half of them.
		shuffled := func(perm ...int64) onnxtest.Graph {
			d := &drawn{onnxtest.Graph{Name: "shuffled",
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, channels, edge, edge}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2, channels, edge, edge}}}},
				rand.New(rand.NewPCG(3, 4))}
			shape := func(name string, dims ...int64) string {
				d.Initializers = append(d.Initializers, onnxtest.Tensor{Name: name, Type: 7,
					Dims: []int64{int64(len(dims))}, Raw: onnxtest.Int64s(dims...)})
				return name
			}
			t := d.node("Conv", "widen", []string{"x", d.weight("v", 0, 0.3, wide, channels, 1, 1)})
			t = d.node("Relu", "positive", []string{t})
			t = d.node("Reshape", "apart", []string{t, shape("groups", 2, groups, each, edge, edge)})
			t = d.node("Transpose", "turn", []string{t}, ints("perm", perm...))
			t = d.node("Reshape", "together", []string{t, shape("whole", 2, wide, edge, edge)})
			if halves {
				half := func(name string, from int64) string {
					return d.node("Slice", name, []string{t, shape(name+"_from", from),
						shape(name+"_to", from+wide/2), shape(name+"_axis", 1)})
				}
				first, second := half("first", 0), half("second", wide/2)
				second = d.node("Relu", "relu", []string{second})
				axis := int64(1)
				t = d.node("Concat", "joined", []string{first, second},
					onnxtest.Attr{Name: "axis", Int: &axis})
			}
			d.node("Conv", "conv", []string{t, d.weight("w", 0, 0.3, channels, wide, 3, 3)},
				ints("pads", 1, 1, 1, 1))
			d.Nodes[len(d.Nodes)-1].Out[0] = "y"
			return d.Graph
		}
		actual, expected := shuffled(perm...), shuffled(0, 2, 1, 3, 4)
		renamedGraph(rand.New(rand.NewPCG(1, 1)), &expected)
		at := slices.IndexFunc(actual.Nodes, func(n onnxtest.Node) bool { return n.Name == "turn" })
		found := imagesPart(ctx, actual, expected)
		Expect(accused(found)).To(Equal([]string{actual.Nodes[at].Name}), found.Cause)
	},
		Entry("in the wrong order", false, int64(0), int64(2), int64(1), int64(4), int64(3)),
		Entry("in the wrong order, before halves", true,
			int64(0), int64(2), int64(1), int64(4), int64(3)),
		Entry("that moves nothing", false, int64(0), int64(1), int64(2), int64(3), int64(4)),
		Entry("that moves nothing, before halves", true,
			int64(0), int64(1), int64(2), int64(3), int64(4)),
	)
})
