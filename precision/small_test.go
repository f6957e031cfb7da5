package precision_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
)

// smallNetwork returns a random network of 5 to 10 nodes that compute: products with weights of
// different scales, functions, and sums and products of earlier tensors.
func smallNetwork(seed uint64) *loaders.Model {
	random := rand.New(rand.NewPCG(seed, 33))
	size := 4 << random.IntN(3)
	var weights []onnxtest.Tensor
	var nodes []onnxtest.Node
	made := []string{"x"}
	count := 5 + random.IntN(6)
	for k := range count {
		out, name := fmt.Sprint("t", k), fmt.Sprint("node", k)
		if k == count-1 {
			out = "y"
		}
		last, other := made[len(made)-1], made[random.IntN(len(made))]
		switch op := random.IntN(8); {
		case op < 4:
			scale := math.Exp2(3*random.Float64()-1.5) / math.Sqrt(float64(size))
			w := make([]float32, size*size)
			for i := range w {
				w[i] = float32(random.NormFloat64() * scale)
			}
			weights = append(weights, onnxtest.Tensor{Name: name + ".w", Type: float,
				Dims: []int64{int64(size), int64(size)}, Raw: onnxtest.Float32s(w...)})
			nodes = append(nodes, node("MatMul", name, out, last, name+".w"))
		case op == 4:
			nodes = append(nodes, node("Tanh", name, out, last))
		case op == 5:
			nodes = append(nodes, node("Sigmoid", name, out, last))
		case op == 6 && other != last:
			nodes = append(nodes, node("Mul", name, out, last, other))
		default:
			nodes = append(nodes, node("Add", name, out, last, other))
		}
		made = append(made, out)
	}
	return graph(size, weights, nodes...)
}

// error16 is the greatest error of a model with everything in FP16.
func error16(ctx SpecContext, s backends.Subject) float64 {
	GinkgoHelper()
	lower, err := precision.Of(ctx, s, precision.FP16)
	Expect(err).NotTo(HaveOccurred())
	worst := 0.0
	for i, set := range lower.Float32 {
		for name, e := range set.All() {
			a, _ := lower.Runs[0][i].Get(name)
			for k := range e.Len() {
				worst = max(worst, math.Abs(a.Float64At(k)-e.Float64At(k)))
			}
		}
	}
	return worst
}

var _ = Describe("A small network", Ordered, ContinueOnFailure, func() {
	BeforeAll(func() { ort.Require(GinkgoT()) })

	const networks, fresh = 20, 100
	held, checked := 0, 0
	for seed := range uint64(networks) {
		It(fmt.Sprintf("is repaired by the fewest nodes, which hold on other inputs: %d", seed),
			func(ctx SpecContext) {
				model := smallNetwork(seed)
				random := rand.New(rand.NewPCG(seed, 8))
				inputs := fixtures.Random(model, fixtures.ValRange(-2, 2), fixtures.Seed(int64(seed)),
					fixtures.Iterations(1+random.IntN(8)))
				s := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
				rule := within(error16(ctx, s) * (0.2 + 0.6*random.Float64()))
				found, err := precision.Repair{Format: precision.FP16, Rule: rule}.Find(ctx, s)
				Expect(err).NotTo(HaveOccurred())
				Expect(found.Guided).To(BeNumerically("<=", found.Nodes+10))

				least, at := found.Computing, 0
				candidates := found.Candidates()
				for set := range 1 << len(candidates) {
					var nodes []int
					for j, i := range candidates {
						if set>>j&1 == 1 {
							nodes = append(nodes, i)
						}
					}
					if len(nodes) >= least {
						continue
					}
					passes, err := found.Keeping(ctx, nodes...)
					Expect(err).NotTo(HaveOccurred())
					if passes {
						least, at = len(nodes), set
					}
				}
				lowered, err := found.Lowered()
				Expect(err).NotTo(HaveOccurred())
				others := fixtures.Random(model, fixtures.ValRange(-2, 2), fixtures.Seed(1<<30),
					fixtures.Iterations(fresh))
				actual, expected := run(ctx, ort.Engine(), lowered, others),
					run(ctx, ort.Engine(), model, others)
				good := 0
				for i := range fresh {
					report, err := compare.Runs(actual.Outputs()[i:i+1], expected.Outputs()[i:i+1], rule)
					Expect(err).NotTo(HaveOccurred())
					if report.Verdict == compare.Pass {
						good++
					}
				}
				held, checked = held+good, checked+fresh
				GinkgoWriter.Println(found.Computing, "of", found.Of, "in", found.Guided, "and", found.Runs,
					"runs;", found.Unused, good)
				Expect(found.Computing).To(Equal(least), "set %b passes", at)
				Expect(found.Unused.Tried).To(BeNumerically(">", 0))
			})
	}

	It("holds on inputs that no search used", func() {
		Expect(held).To(BeNumerically(">=", 0.98*float64(checked)))
		AddReportEntry("holds", fmt.Sprintf("%d of %d", held, checked))
	})
})
