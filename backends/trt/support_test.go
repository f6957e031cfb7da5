//go:build linux && cgo

package trt_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// straight is a chain of operators x → t0 → t1 …, whose tensors have declared types.
func straight(ops ...string) *loaders.Model {
	m := onnxtest.Model{Graph: onnxtest.Graph{Inputs: []onnxtest.Value{in("x", onnxFloat, 2)}}}
	last := "x"
	for i, op := range ops {
		out := "t" + string(rune('0'+i))
		m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node{Op: op, Name: "n" + string(rune('0'+i)),
			In: []string{last}, Out: []string{out}})
		if last = out; i < len(ops)-1 {
			m.Graph.Values = append(m.Graph.Values, in(out, onnxFloat, 2))
		}
	}
	m.Graph.Outputs = []onnxtest.Value{in(last, onnxFloat, 2)}
	return loaders.ONNXBytes("straight.onnx", m.Bytes())
}

// said is the parts in short: "0-1 + 2-2 -" are two nodes that are supported and one that is not.
func said(c *trt.Support) (list []string) {
	for _, p := range c.Parts {
		sign := " -"
		if p.Supported {
			sign = " +"
		}
		list = append(list, string(rune('0'+p.First))+"-"+string(rune('0'+p.Last))+sign)
	}
	return list
}

var _ = Describe("What the parser takes of a model", func() {
	It("is all of it, or every refusal with its node and where it lies", func(ctx SpecContext) {
		c, err := trt.Supports(ctx, straight("Relu", "Identity"), on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(c).To(HaveField("Supported", true))
		Expect(c.Model).To(Equal("straight.onnx"))
		Expect(c.TensorRT).To(Equal("10.6.2.7"))
		c, err = trt.Supports(ctx, straight("Relu", "Foo", "Identity", "Inner"), on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Supported).To(BeFalse())
		Expect(c.Refusals).To(HaveExactElements(
			trt.Refusal{Node: "n1", Operator: "Foo", Reason: "no importer for the operator"},
			trt.Refusal{Node: "n3", Operator: "Inner", Reason: "no importer for the operator",
				Functions: []string{"outer", "inner"}}))
	})

	DescribeTable("is divided into parts", func(ctx SpecContext, fail string, ops, want []string) {
		setenv("MOCK_TRT_FAIL", fail)
		for _, version := range [][2]int{{10, 6}, {11, 1}} {
			c, err := trt.Partition(ctx, straight(ops...), on(mock(version[0], version[1]))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(said(c)).To(Equal(want))
		}
	},
		Entry("all of it", "", []string{"Relu", "Relu"}, []string{"0-1 +"}),
		Entry("none of it", "", []string{"Foo", "Foo"}, []string{"0-1 -"}),
		Entry("around what it refuses", "", []string{"Relu", "Foo", "Bar", "Relu", "Foo"},
			[]string{"0-0 +", "1-2 -", "3-3 +", "4-4 -"}),
		Entry("again where a part has nodes that it takes", "coarse",
			[]string{"Relu", "Foo", "Relu", "Relu"}, []string{"0-0 +", "1-1 -", "2-2 +", "3-3 +"}),
	)

	It("says of a part why it is not supported, and has every part as a model", func(ctx SpecContext) {
		c, err := trt.Partition(ctx, straight("Relu", "Foo", "Relu"), on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Parts[1].Refusals).To(HaveExactElements(
			trt.Refusal{Node: "n1", Operator: "Foo", Reason: "no importer for the operator"}))
		part, err := c.Parts[1].Model.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(part).To(HaveExactElements(HaveField("Name", "n1")))
	})

	It("does not look into a part that reads a tensor without a type", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "coarse")
		untyped := loaders.ONNXBytes("untyped.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Relu", Name: "n0", In: []string{"x"}, Out: []string{"a"}},
				{Op: "Foo", Name: "n1", In: []string{"a"}, Out: []string{"b"}},
				{Op: "Relu", Name: "n2", In: []string{"b"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{in("x", onnxFloat, 2)},
			Outputs: []onnxtest.Value{in("y", onnxFloat, 2)},
		}}.Bytes())
		c, err := trt.Partition(ctx, untyped, on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(said(c)).To(Equal([]string{"0-0 +", "1-2 -"}))
		Expect(c.Parts[1].Whole).To(ContainSubstring(`the type of "a" is not declared`))
		Expect(c.Parts[1].Refusals).To(HaveExactElements(HaveField("Operator", "Foo")))
	})

	It("refuses what it cannot ask", func(ctx SpecContext) {
		_, err := trt.Partition(ctx, straight("Relu"), on(mock(10, 0))...)
		Expect(err).To(MatchError(ContainSubstring("supportsModelV2: it was added in 10.1")))
		_, err = trt.Supports(ctx, straight("Foo"), on(mock(10, 0))...)
		Expect(err).NotTo(HaveOccurred())
		_, err = trt.Supports(ctx, loaders.ONNX("missing.onnx"), on(mock(10, 6))...)
		Expect(err).To(MatchError(ContainSubstring("missing.onnx")))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err = trt.Partition(ended, straight("Relu"), on(mock(10, 6))...)
		Expect(err).To(MatchError(context.Canceled))
	})
})
