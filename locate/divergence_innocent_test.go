package locate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/precision"
)

var _ = Describe("Divergence without enough evidence", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("never finds nothing because it could compare nothing", func(ctx SpecContext) {
		model := side("model", network(2))
		s := by(model, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			if outputs, err := m.Outputs(); err != nil || len(outputs) > 1 {
				return nil, errors.New("one output at most")
			}
			return plain.Open(ctx, m, in)
		})
		// The last tensor is the model's own output, which needs no mark: all others are left out.
		report, err := locate.Divergence(ctx, s, s, strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Cause).To(HaveSuffix("(5 of 6 tensors could not be read: see the notes)"))
		Expect(report.Notes[:5]).To(HaveEach(MatchRegexp(`^"\w+" was left out: model in .* at most$`)),
			"the reason once, though both sides give it")
		Expect(report.Table()).To(ContainSubstring("left out"))

		calls := 0
		s = by(model, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			if calls++; calls > 2 { // the runs of the original models
				return nil, errors.New("no more")
			}
			return plain.Open(ctx, m, in)
		})
		_, err = locate.Divergence(ctx, s, s, strict())
		Expect(err).To(MatchError(And(ContainSubstring("none of 6 tensors could be compared"),
			ContainSubstring("no more"))))
	})

	It("blames no node that is wrong alone if its tensor and the outputs agree",
		func(ctx SpecContext) {
			near, wrong := network(4), network(4)
			initializer(&near, "b0").Raw[0] ^= 16 // as another kernel rounds
			wrong.Nodes[1].Op = "Sub"
			other := side("wrong", wrong).Model.(*loaders.Model)
			actual := by(side("actual", near), inParts(func(inputs, outputs []loaders.Value) (
				*loaders.Model, error) {
				return other.Cut(inputs, plainNames(outputs))
			}))
			found, err := locate.Divergence(ctx, actual, side("expected", network(4)), byNoise())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Tensors[1].Error).NotTo(BeZero())
			Expect(found.Tensors[1].Own.Verdict).To(Equal(compare.Fail))
			Expect(found.Isolated).To(BeNil(), found.Text())
			Expect(found.Fault).To(BeNil(), found.Text())
			Expect(found.Cause).To(Equal("the outputs agree; a node is out of tolerance, but only " +
				"when it runs alone"))
		})

	It("blames no node on which no output depends", func(ctx SpecContext) {
		with := func(value float32, names ...string) backends.Subject {
			g := network(2)
			g.Nodes = slices.Insert(g.Nodes, 1, onnxtest.Node{Op: "Mul", Name: "dead",
				In: []string{"m0", "w"}, Out: names[:1]}, onnxtest.Node{Op: "Neg", In: names[:1],
				Out: []string{"end"}})
			g.Initializers = append(g.Initializers, scalar("w", value))
			return side("network", g)
		}
		for _, name := range []string{"unread", "renamed"} {
			found, err := locate.Divergence(ctx, with(1, "unread"), with(2, name), strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Pass))
			Expect(found.First).To(BeNil())
			Expect(found.Isolated).To(BeNil())
			Expect(found.Fault).To(BeNil())
			Expect(found.Cause).To(Or(Equal("no tensor is out of tolerance"), Equal("the outputs agree")))
		}
		found, err := locate.Divergence(ctx, with(1, "unread"), with(2, "unread"), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Notes).To(ContainElement(
			`out of tolerance, but not used by any output: "unread", "end"`))
	})

	It("blames no node if the outputs are inputs or weights", func(ctx SpecContext) {
		of := func(output string, value float32) backends.Subject {
			g := onnxtest.Graph{Name: "bare", Outputs: []onnxtest.Value{{Name: output, Elem: 1}},
				Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", width}}},
				Initializers: []onnxtest.Tensor{scalar("w", value)}}
			return side("bare", g)
		}
		found, err := locate.Divergence(ctx, of("x", 1), of("x", 1), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(Equal("no tensor is out of tolerance"))
		found, err = locate.Divergence(ctx, of("w", 1), of("w", 2), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Verdict).To(Equal(compare.Fail))
		Expect(found.MarkedVerdict).To(Equal(compare.Fail))
		Expect(found.Cause).To(HavePrefix("the outputs differ, although every tensor that a node " +
			`computes is within tolerance: the output "w", which is a weight of the model, differs`))
		changed := func(value float32, op string) backends.Subject {
			g := network(2)
			g.Nodes[1].Op = op
			g.Initializers = append(g.Initializers, scalar("w", value))
			g.Outputs = append(g.Outputs, onnxtest.Value{Name: "w", Elem: 1})
			return side("network", g)
		}
		found, err = locate.Divergence(ctx, changed(1, "Add"), changed(2, "Add"), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(HavePrefix("the outputs differ, although every tensor that a node " +
			`computes is within tolerance: the output "w", which is a weight of the model, differs`))
		found, err = locate.Divergence(ctx, changed(1, "Sub"), changed(2, "Add"), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(ContainSubstring("add0"))
		Expect(found.Notes).To(ContainElement(
			`the output "w", which is a weight of the model, differs`))
	})

	DescribeTable("names an output that is a weight if the tolerances are measured",
		func(ctx SpecContext, options locate.Options) {
			of := func(value float32) backends.Subject {
				g := network(2)
				g.Initializers = append(g.Initializers, scalar("w", value))
				g.Outputs = append(g.Outputs, onnxtest.Value{Name: "w", Elem: 1})
				return side("network", g)
			}
			found, err := locate.Divergence(ctx, of(1), of(2), options)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Cause).To(HavePrefix("the outputs differ, although every tensor that a node " +
				`computes is within tolerance: the output "w", which is a weight of the model, differs`))
			found, err = locate.Divergence(ctx, of(1), of(1), options)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Cause).NotTo(ContainSubstring("weight"))
		},
		Entry("by noise", byNoise()),
		Entry("by the error of a format", locate.Options{Isolate: true,
			Measure: (&precision.Judge{Format: precision.FP16}).Measure}))

	It("leaves out a tensor over which the rule has no power, and goes on", func(ctx SpecContext) {
		withZeros := func() onnxtest.Graph {
			g := network(2)
			g.Nodes[0].In[0] = "shifted"
			g.Nodes = append([]onnxtest.Node{
				{Op: "Sub", Name: "nothing", In: []string{"x", "x"}, Out: []string{"zeros"}},
				{Op: "Add", Name: "shift", In: []string{"x", "zeros"}, Out: []string{"shifted"}},
			}, g.Nodes...)
			return g
		}
		faulty := withZeros()
		faulty.Nodes[6].Op = "Sub"
		a, e := side("a", faulty), side("e", withZeros())
		o := strict()
		o.Compare.Checks = []compare.Check{compare.SNR(20)}
		report, err := locate.Divergence(ctx, a, e, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First.Tensor).To(Equal("a1"))
		Expect(report.Tensors[0].Verdict).To(BeEmpty())
		Expect(report.Notes).To(ContainElement(And(HavePrefix(`"zeros" was left out`),
			ContainSubstring("there is no signal"))))
	})

	DescribeTable("blames no node whose tensors are equal, whatever it does alone",
		func(ctx SpecContext, rename bool, faultAlone string, fault any) {
			faulty, parts, right := network(4), network(4), network(4)
			faulty.Nodes[7].Op = "Sub"
			parts.Nodes[7].Op = faultAlone
			parts.Nodes[2].Op = "Sin" // of another kernel
			other := loaders.ONNXBytes("other", onnxtest.Model{Graph: parts}.Bytes())
			if rename {
				renamedGraph(rand.New(rand.NewPCG(1, 1)), &right)
			}
			actual := by(side("actual", faulty), inParts(func(inputs, outputs []loaders.Value) (
				*loaders.Model, error) {
				return other.Cut(inputs, plainNames(outputs))
			}))
			report, err := locate.Divergence(ctx, actual, side("expected", right), strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Tensors[2].Error).To(BeZero())
			Expect(report.Tensors[2].Own.Verdict).To(Equal(compare.Fail))
			if report.Isolated == nil {
				Expect(report.Fault).To(BeNil(), report.Text())
				Expect(fault).To(BeNil(), report.Text())
			} else {
				Expect(report.Isolated.Index).To(Equal(fault), report.Text())
			}
		},
		Entry("paired by name", false, "Sub", 7),
		Entry("paired otherwise", true, "Sub", 7),
		Entry("and the fault is not there alone", false, "Add", nil),
		Entry("likewise, paired otherwise", true, "Add", nil))

	DescribeTable("blames no node for rounding that the tolerance of the outputs forbids inside",
		func(ctx SpecContext, op, node, cause string) {
			large := func(gain float32, op string) onnxtest.Graph {
				g := network(2)
				factor := func(name string, v float32) onnxtest.Tensor {
					return onnxtest.Tensor{Name: name, Type: 1, Raw: onnxtest.Float32s(v)}
				}
				g.Initializers = append(g.Initializers, factor("up", gain), factor("down", 1e-4))
				g.Nodes[0].In[0], g.Nodes[4].Op = "small", op
				g.Nodes = append([]onnxtest.Node{
					{Op: "Mul", Name: "up", In: []string{"x", "up"}, Out: []string{"large"}},
					{Op: "Mul", Name: "down", In: []string{"large", "down"}, Out: []string{"small"}}},
					g.Nodes...)
				return g
			}
			o := strict()
			o.Compare.Checks = []compare.Check{compare.Within(1e-5, 0, compare.Elementwise)}
			// One unit in the last place imitates the rounding of another kernel.
			found, err := locate.Divergence(ctx, side("actual", large(math.Nextafter32(1e4, 2e4), op)),
				side("expected", large(1e4, "Add")), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Tensors[0].Own).To(HaveField("Rounding", true))
			Expect(found.Cause).To(MatchRegexp(cause))
			if node == "" {
				Expect(found.Verdict).To(Equal(compare.Pass))
				Expect([]*locate.Point{found.First, found.Isolated}).To(HaveEach(BeNil()))
			} else {
				Expect(found.Isolated.Node).To(Equal(node))
			}
			text, err := json.Marshal(found)
			Expect(err).NotTo(HaveOccurred())
			Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		},
		Entry("in a healthy model", "Add", "",
			"^the outputs agree, and when each node runs alone, none is out of tolerance by more than "+
				"rounding explains$"),
		Entry("before a fault", "Sub", "add1",
			`^"large" .*: rounding errors accumulate up to this tensor; .* by more than rounding `+
				`explains is Sub "add1" .*, which computes "a1"$`))

	It("says that a node could not run alone", func(ctx SpecContext) {
		faulty := network(4)
		faulty.Nodes[7].Op = "Sub"
		refuse := func(_, _ []loaders.Value) (*loaders.Model, error) {
			return nil, errors.New("no parts")
		}
		actual := by(side("actual", faulty), inParts(refuse))
		report, err := locate.Divergence(ctx, actual, side("expected", network(4)), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Isolated).To(BeNil())
		Expect(report.Cause).To(HaveSuffix("its inputs agree; the " +
			"node could not run alone (actual in fake Opens(a function): no parts), so nothing confirms " +
			"that it is at fault"))
		Expect(report.First.NotAlone).To(HaveSuffix("no parts"))
		Expect(report.Notes).To(ContainElement(ContainSubstring("no parts")))
	})
})
