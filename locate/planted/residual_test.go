package planted_test

import (
	"context"
	"fmt"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// Of so many wires one is tried: fewer with `make planted`.
const most, fewest = 193, 11

// mistaken are wires for which an innocent node behind them was named once.
var mistaken = []string{"total1 to sum0_out, seed 1", "total1 to attended0_out, seed 1",
	"total2 to sum1_out, seed 1", "total2 to attended1_out, seed 1", "total2 to total1_out, seed 2",
	"total2 to block1_out, seed 2"}

var _ = Describe("Residual wires of an encoder that two exporters wrote", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, other := range []bool{false, true} {
		It(fmt.Sprintf("are named, or a stretch with them: written the other way %v", other),
			func(ctx SpecContext) {
				step := most
				if os.Getenv(cnn.WheelVariable) != "" {
					step = fewest
				}
				actual, expected := newEncoder(other), newEncoder(!other)
				shown, exact, at := 0, 0, 0
				for seed := range int64(8) {
					for _, tolerance := range []float64{1e-5, 1e-6} {
						Expect(encodersPart(ctx, actual.Graph, expected, seed, tolerance).Fault).To(BeNil())
						for _, w := range actual.wires() {
							said := fmt.Sprintf("%s to %s, seed %d", actual.Nodes[w.node].Name, w.to, seed)
							if at++; at%step != 0 && !slices.Contains(mistaken, said) {
								continue
							}
							found := encodersPart(ctx, actual.with(w), expected, seed, tolerance)
							if found.Verdict == compare.Pass {
								continue // the fault does not show
							}
							said += fmt.Sprintf(", %g: %s", tolerance, found.Text())
							Expect(found.Fault).NotTo(BeNil(), said)
							Expect(slices.ContainsFunc(found.Fault.Nodes, func(n locate.NodeName) bool {
								return n.Index == w.node
							})).To(BeTrue(), said)
							shown++
							if len(found.Fault.Nodes) > 1 {
								Expect(found.Cause).To(HavePrefix("the sides diverge between "), said)
								continue
							}
							exact++
							// The sentence and the table's arrow name the same node.
							Expect(found.First.Index).To(Equal(w.node), said)
							Expect(found.Cause).To(ContainSubstring("its inputs agree, and when run alone"), said)
						}
					}
				}
				AddReportEntry("residual wires", fmt.Sprintf("%d of %d exact", exact, shown))
				Expect(shown).To(BeNumerically(">=", 40))
				Expect(exact).To(BeNumerically(">=", shown*93/100), fmt.Sprint(exact, " of ", shown))
			})
	}
})

// encodersPart locates where an encoder differs from the one of another exporter.
func encodersPart(ctx context.Context, actual onnxtest.Graph, expected *encoder, seed int64,
	tolerance float64) *locate.Finding {
	GinkgoHelper()
	subject := func(name string, g onnxtest.Graph) backends.Subject {
		model := loaders.ONNXBytes(name, onnxtest.Model{Graph: g}.Bytes())
		return backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, fixtures.Seed(seed), fixtures.ValRange(-1, 1))}
	}
	found, err := locate.Divergence(ctx, subject("actual", actual),
		subject("expected", expected.Graph), locate.Options{Isolate: true, Compare: compare.Options{
			Checks: []compare.Check{compare.Within(tolerance, tolerance, compare.Elementwise)}}})
	Expect(err).NotTo(HaveOccurred())
	return found
}
