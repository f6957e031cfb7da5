package locate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/locate"
)

// quantized is a network with its weights and activations in int8, as ONNX Runtime's quantizer
// writes it: QuantizeLinear and DequantizeLinear around what it quantized.
func quantized(layers int) onnxtest.Graph {
	g := network(layers)
	var nodes, weights []onnxtest.Node
	scalar := func(name string, value float32) {
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: name, Type: 1,
			Raw: onnxtest.Float32s(value)})
	}
	g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: "zero", Type: 3, Raw: []byte{0}})
	renamed := map[string]string{}
	for i := range layers {
		name := fmt.Sprint("w", i)
		t := initializer(&g, name)
		values, greatest := floats(t.Raw), 0.0
		for _, v := range values {
			greatest = max(greatest, math.Abs(float64(v)))
		}
		scale := greatest / 127
		raw := make([]byte, len(values))
		for k, v := range values {
			raw[k] = byte(int8(math.RoundToEven(float64(v) / scale)))
		}
		t.Name, t.Type, t.Raw = name+"_quantized", 3, raw
		scalar(name+"_scale", float32(scale))
		weights = append(weights, onnxtest.Node{Op: "DequantizeLinear", Name: name + "_dequantize",
			In: []string{name + "_quantized", name + "_scale", "zero"}, Out: []string{name + suffix}})
		renamed[name] = name + suffix
	}
	for _, n := range g.Nodes {
		for k, name := range n.In {
			if other := renamed[name]; other != "" {
				n.In[k] = other
			}
		}
		nodes = append(nodes, n)
		if n.Op != "Tanh" || n.Out[0] == "y" {
			continue
		}
		out := n.Out[0]
		scalar(out+"_scale", 1.0/127)
		nodes = append(nodes, onnxtest.Node{Op: "QuantizeLinear", Name: out + "_quantize",
			In: []string{out, out + "_scale", "zero"}, Out: []string{out + "_QuantizeLinear_Output"}},
			onnxtest.Node{Op: "DequantizeLinear", Name: out + "_dequantize",
				In:  []string{out + "_QuantizeLinear_Output", out + "_scale", "zero"},
				Out: []string{out + suffix}})
		renamed[out] = out + suffix
	}
	g.Nodes = append(weights, nodes...)
	return g
}

const suffix = "_DequantizeLinear_Output"

var _ = Describe("A quantized model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	find := func(ctx context.Context, actual onnxtest.Graph) *locate.Finding {
		GinkgoHelper()
		found, err := locate.Divergence(ctx, side("actual", actual), side("expected", network(4)),
			strict())
		Expect(err).NotTo(HaveOccurred())
		return found
	}

	It("names no node while it is healthy: nodes are ranked by what they add", func(ctx SpecContext) {
		found := find(ctx, quantized(4))
		Expect(found.Verdict).To(Equal(compare.Fail), "int8 is not within 1e-5")
		Expect(found.Fault).To(BeNil())
		Expect(found.Isolated).To(BeNil())
		Expect(found.Cause).To(Equal("the outputs differ, and no single node explains it: many nodes " +
			"contribute, each with no more error than its type's precision explains"))
		Expect(found.Adds).NotTo(BeEmpty())
		rows := map[string]locate.Point{}
		for _, p := range found.Tensors {
			rows[p.Tensor] = p
		}
		for i := range 3 { // the quantized model must match the original
			p := rows[fmt.Sprint("t", i, suffix)]
			Expect(p.Own).NotTo(BeNil())
			Expect(p.SQNR).NotTo(BeNil())
			Expect(float64(*p.SQNR)).To(BeNumerically("~", -20*math.Log10(float64(p.Error)), 1e-9))
			Expect(float64(*p.OverScale)).To(BeNumerically("~", 0.29, 0.08))
			Expect(p.Expected).To(Equal(fmt.Sprint("t", i)))
		}
		w := rows["w1"+suffix]
		Expect(w.Expected).To(Equal("w1"), "weights have rows of their own")
		Expect(float64(*w.OverScale)).To(BeNumerically("~", 0.29, 0.08))
		Expect(found.Text()).To(And(ContainSubstring("rmse/scale"),
			ContainSubstring("nodes that add the largest errors: "), Not(ContainSubstring("NaN"))))
		text, err := json.Marshal(found)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
	})

	It("has its faults named all the same", func(ctx SpecContext) {
		g := quantized(4)
		for i := range g.Nodes {
			if g.Nodes[i].Name == "tanh1" {
				g.Nodes[i].Op = "Sigmoid"
			}
		}
		found := find(ctx, g)
		Expect(found.Fault).NotTo(BeNil(), found.Cause)
		Expect(found.Fault.Nodes).To(ContainElement(HaveField("Name", "tanh1")), found.Cause)
		Expect(found.Fault.Healed).To(BeTrue())
	})
})
