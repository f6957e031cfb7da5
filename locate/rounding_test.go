package locate_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
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
	"github.com/modelparity/modelparity/locate"
)

// keeping is an engine that keeps some significant bits of the weights of matmul3, in every model
// for which rounds is true.
func keeping(bits int, rounds func(m *loaders.Model) bool) backends.Subject {
	g := network(6)
	return rounding(side("net", g), g.Initializers[6].Raw, bits, rounds)
}

// rounding is a subject whose engine keeps some significant bits of a weight.
func rounding(s backends.Subject, weight []byte, bits int, rounds func(m *loaders.Model) bool) (
	rounded backends.Subject) {
	less := bytes.Clone(weight)
	for i := 0; i < len(less); i += 4 {
		lost := uint32(1) << (24 - bits)
		v := binary.LittleEndian.Uint32(less[i:])
		binary.LittleEndian.PutUint32(less[i:], (v+lost/2)&^(lost-1))
	}
	return by(s, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
		backends.Backend, error) {
		data, err := m.Bytes()
		if err != nil {
			return nil, err
		}
		if rounds(m) {
			data = bytes.ReplaceAll(data, weight, less)
		}
		return plain.Open(ctx, loaders.ONNXBytes("net", data), in)
	})
}

func always(*loaders.Model) bool { return true }

// halved says that it computes in float16, as OpenVINO does.
type halved struct{ backends.Backend }

func (h halved) Run(ctx context.Context, in fixtures.Inputs) (*backends.Run, error) {
	run, err := h.Backend.Run(ctx, in)
	if err == nil {
		run.Provenance.Options = map[string]string{"precision": "f16"}
	}
	return run, err
}

// whole reports whether a model is more than a single node.
func whole(m *loaders.Model) bool {
	nodes, err := m.Nodes()
	return err != nil || len(nodes) > 1
}

var _ = Describe("A node that stands out is compared with float64", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	find := func(ctx context.Context, a, e backends.Subject) *locate.Finding {
		GinkgoHelper()
		f, err := locate.Divergence(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Rounding).NotTo(BeNil(), f.Text())
		Expect(f.Text()).To(ContainSubstring(f.Rounding.Text))
		return f
	}

	It("and the engine with the wrong kernel is blamed, on either side", func(ctx SpecContext) {
		right := side("net", network(6))
		for _, bits := range []int{8, 11} { // bfloat16 and TF32
			f := find(ctx, keeping(bits, always), right)
			r := f.Rounding
			Expect(r.Tensor).To(Equal("m3"))
			Expect(r.Actual.Ratio).To(BeNumerically(">", 1))
			Expect(*r.Actual.Alone).To(BeNumerically(">", 1))
			Expect(r.Expected.Ratio).To(BeNumerically("<=", 1))
			Expect(r.Actual.Element).To(HaveLen(2))
			Expect(math.Abs(float64(r.Actual.Value - r.Actual.Float64))).To(BeNumerically("~",
				float64(r.Actual.Ratio*r.Actual.Bound), 1e-12))
			Expect(r.Text).To(MatchRegexp(`^against float64: the actual side's error at \[\d \d\] is ` +
				`\S+ times what rounding to float32 allows: the value is \S+, but float64 gives \S+; ` +
				`the expected side's error is at most what rounding to float32 allows ` +
				`\(0\.\d+ of the allowed error\)$`))
			Expect(f.Text()).To(MatchRegexp(`own error\s+error/bound\s+verdict`))
			Expect(f.Text()).To(ContainSubstring(r.Actual.Ratio.String() + " | " +
				r.Expected.Ratio.String()))
			data, err := json.Marshal(f)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(data)).To(ContainSubstring(`"rounding":{"tensor":"m3"`))

			Expect(find(ctx, right, keeping(bits, always)).Rounding.Text).To(And(
				ContainSubstring("the actual side's error is at most"),
				MatchRegexp(`the expected side's error at .* times what rounding to float32 allows`)))
		}
	})

	It("and both engines are blamed if both are wrong", func(ctx SpecContext) {
		Expect(find(ctx, keeping(8, always), keeping(11, always)).Rounding.Text).To(And(
			ContainSubstring("the actual side's error at"),
			ContainSubstring("the expected side's error at")))
	})

	It("and neither engine is blamed for another weight", func(ctx SpecContext) {
		other := network(6)
		other.Initializers[6].Raw[3] ^= 0x40
		Expect(find(ctx, side("a", other), side("b", network(6))).Rounding.Text).To(And(
			HavePrefix("against float64: both sides are within what rounding to float32 allows (0."),
			HaveSuffix(": the two nodes differ in operator, attributes or weights")))
	})

	It("and neither is blamed for another input, or if the tolerance is too tight",
		func(ctx SpecContext) {
			other := network(6)
			other.Nodes[9].In[0] = "t1"
			Expect(find(ctx, side("a", other), side("b", network(6))).Rounding.Text).To(
				HaveSuffix(`: the two nodes read different tensors, or the same in a different order: "t1", ` +
					`"w3", expected "t2", "w3"`))

			tight := strict()
			tight.Compare.Checks = []compare.Check{compare.Within(1e-12, 1e-12, compare.Elementwise)}
			f, err := locate.Divergence(ctx, keeping(23, always), side("net", network(6)), tight)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Rounding.Tensor).To(Equal("m3"))
			Expect(f.Rounding.Text).To(HaveSuffix(
				": both sides run the same node on the same inputs, and differ only in rounding"))
		})

	DescribeTable("and operands in another order are named", func(ctx SpecContext, prefix string) {
		swapped := func(prefix string, operands ...string) backends.Subject {
			g := network(2)
			g.Nodes[4].Op = "Sub"
			g.Nodes[4].In = operands
			for i := range g.Nodes {
				for _, list := range [][]string{g.Nodes[i].In, g.Nodes[i].Out} {
					for k, name := range list {
						if name == "t0" || name == "m1" {
							list[k] = prefix + name
						}
					}
				}
			}
			return side("net", g)
		}
		r := find(ctx, swapped(prefix, "m1", "t0"), swapped("", "t0", "m1")).Rounding
		Expect(r.Text).To(HaveSuffix(fmt.Sprintf(`: the two nodes read different tensors, or `+
			`the same in a different order: %q, %q, expected "t0", "m1"`, prefix+"m1", prefix+"t0")))
	},
		Entry("if tensors pair by name", ""), Entry("if tensors pair by values", "other_"))

	It("and the text is about the node that stands out after many are excused",
		func(ctx SpecContext) {
			g := network(12)
			for i := range 12 { // so that the engine rounds all of them
				initializer(&g, fmt.Sprint("w", i)).Raw = g.Initializers[0].Raw
			}
			half := rounding(side("net", g), g.Initializers[0].Raw, 11, always)
			a := by(half, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
				backends.Backend, error) {
				b, err := half.Engine.Open(ctx, m, in)
				return halved{b}, err
			})
			f, err := locate.Divergence(ctx, a, side("net", g), strict())
			Expect(err).NotTo(HaveOccurred())
			excused := 0
			for _, p := range f.Tensors {
				if p.Own.Rounding {
					excused++
				}
			}
			Expect(excused).To(BeNumerically(">", 8))
			Expect(f.Rounding.Tensor).To(Equal(f.Isolated.Tensor), f.Text())
			Expect(f.Rounding.Text).To(HavePrefix("against float64"))
		})

	It("and no engine is blamed for what it computes otherwise within its graph",
		func(ctx SpecContext) {
			f := find(ctx, keeping(8, whole), side("net", network(6)))
			Expect(f.Rounding.Tensor).To(Equal("m3"))
			Expect(f.Rounding.Text).To(And(ContainSubstring("in the whole graph"),
				ContainSubstring("runs alone, the error is only 0."),
				ContainSubstring("fuses the node or uses a different precision")))
		})

	It("and the node that adds most is named if none is out of tolerance alone",
		func(ctx SpecContext) {
			g := network(1)
			g.Nodes[1] = onnxtest.Node{Op: "Mul", Name: "eight", In: []string{"m0", "k"},
				Out: []string{"y"}}
			g.Nodes = g.Nodes[:2]
			g.Initializers = append(g.Initializers, scalar("k", 8))
			half := rounding(side("net", g), g.Initializers[0].Raw, 16, always)
			a := by(half, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
				backends.Backend, error) {
				b, err := half.Engine.Open(ctx, m, in)
				return halved{b}, err
			})
			o := strict()
			o.Compare.Checks = []compare.Check{compare.Within(4e-5, 0, compare.Elementwise)}
			f, err := locate.Divergence(ctx, a, side("net", g), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.First.Tensor).To(Equal("y"))
			Expect(f.Isolated).To(BeNil())
			Expect(f.Adds).To(Equal([]string{"m0"}))
			Expect(f.Cause).To(HaveSuffix(
				`; MatMul "matmul0" (node 0), which computes "m0", adds the largest error`))
		})

	It("and errors that no usual order of a long sum has are pointed out", func(ctx SpecContext) {
		const terms = 4096
		g := onnxtest.Graph{Name: "long",
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{8, terms}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{8, 16}}},
			Nodes: []onnxtest.Node{{Op: "MatMul", Name: "product", In: []string{"x", "w"},
				Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{weights("w", rand.New(rand.NewPCG(1, 2)), 1, terms, 16)}}
		model := loaders.ONNXBytes("long", onnxtest.Model{Graph: g}.Bytes())
		right := backends.Subject{Engine: plain, Model: model,
			Inputs: fixtures.Random(model, fixtures.Seed(1), fixtures.ValRange(-1, 1))}
		r := find(ctx, rounding(right, g.Initializers[0].Raw, 11, always), right).Rounding
		Expect(r.Actual.Ratio).To(BeNumerically("<=", 1))
		Expect(r.Expected.Usual).To(BeNumerically("<", 4))
		Expect(r.Text).To(MatchRegexp(`the actual side's error is at most what rounding to ` +
			`float32 allows \(0\.\d+ of the allowed error\), but typically \S+ times as large as the ` +
			`errors of float32 sums, probably because of a lower precision; the expected side's error is ` +
			`at most what rounding to float32 allows \(\S+ of the allowed error\)$`))
	})

	It("and an operator that is not known is named", func(ctx SpecContext) {
		other := network(6)
		other.Nodes[11].Op = "Shrink"
		Expect(find(ctx, side("a", other), side("b", network(6))).Rounding.Text).To(And(
			ContainSubstring("the actual side is not judged: modelparity cannot compute Shrink in float64"),
			ContainSubstring("the expected side's error is at most")))
		again := network(6)
		again.Nodes[11].Op = "Shrink"
		lambd := float32(0.1)
		again.Nodes[11].Attrs = []onnxtest.Attr{{Name: "lambd", Float: &lambd}}
		Expect(find(ctx, side("a", other), side("b", again)).Rounding.Text).To(HaveSuffix(
			"neither side is judged: modelparity cannot compute Shrink in float64"))
	})

	It("in float16, if the engine says that it computes in float16", func(ctx SpecContext) {
		half := keeping(11, always)
		a := by(half, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			b, err := half.Engine.Open(ctx, m, in)
			return halved{b}, err
		})
		r := find(ctx, a, side("net", network(6))).Rounding
		Expect(r.Actual.Arithmetic).To(Equal("float16"))
		Expect(r.Actual.Ratio).To(BeNumerically("<=", 1))
	})

	It("unless nothing stands out", func(ctx SpecContext) {
		f, err := locate.Divergence(ctx, side("a", network(6)), side("b", network(6)), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Rounding).To(BeNil())
		Expect(f.Text()).NotTo(ContainSubstring("float64"))
	})
})
