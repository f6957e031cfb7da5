package cli

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

func TestFlagsOfDebugPrecisionBecomeOptions(t *testing.T) {
	g := NewWithT(t)
	var r precisionRequest
	_, err := arguments.Parse(r.layerFlags(), strings.Fields(
		"--mode LINEAR --dir reverse --precision float16 --int8 --fp16"), nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.search).To(Equal(precision.Layers{Linear: true, Reverse: true,
		Higher: tensor.Float16, Format: precision.FP16}))
	g.Expect(r.lower).To(HaveExactElements("--int8", "--fp16"))
	for line, says := range map[string]string{
		"--mode halves":    `unknown value "halves": want bisect, linear`,
		"--dir up":         `unknown value "up": want forward, reverse`,
		"--precision int8": `unknown precision "int8": want float32 or float16`,
	} {
		_, err := arguments.Parse(r.layerFlags(), strings.Fields(line), nil)
		g.Expect(err).To(MatchError(ContainSubstring(says)))
	}
}

// TestFlagsForTensorRTSayThatBodiesWereNotTested searches a model whose first node overflows in
// float16 and whose If has a node of its own.
func TestFlagsForTensorRTSayThatBodiesWereNotTested(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	branch := func(name string) onnxtest.Attr {
		return onnxtest.Attr{Name: name, Graph: &onnxtest.Graph{Name: name,
			Nodes:   []onnxtest.Node{{Op: "MatMul", In: []string{"s", "w"}, Out: []string{name + "/y"}}},
			Outputs: []onnxtest.Value{{Name: name + "/y", Elem: 1}}}}
	}
	weight := func(name string, v float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{2, 2},
			Raw: onnxtest.Float32s(v, v, v, v)}
	}
	opsets := map[string]int64{"": 17, "com.microsoft": 1}
	model := onnxtest.Model{Opsets: opsets, Graph: onnxtest.Graph{
		Initializers: []onnxtest.Tensor{weight("large", 1e6), weight("small", 1e-6), weight("w", 1),
			{Name: "yes", Type: 9, Raw: []byte{1}}},
		Nodes: []onnxtest.Node{
			{Op: "MatMul", Name: "grows", In: []string{"x", "large"}, Out: []string{"l"}},
			{Op: "MatMul", Name: "shrinks", In: []string{"l", "small"}, Out: []string{"s"}},
			{Op: "If", Name: "choice", In: []string{"yes"}, Out: []string{"c"},
				Attrs: []onnxtest.Attr{branch("then_branch"), branch("else_branch")}},
			{Op: "FusedMatMul", Domain: "com.microsoft", Name: "fused", In: []string{"c", "w"},
				Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 2}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2, 2}}}}}
	g.Expect(os.WriteFile("net.onnx", model.Bytes(), 0o600)).To(Succeed())
	for _, command := range []string{"repair", "debug precision"} {
		args := append(strings.Fields(command), "net.onnx", "--onnxrt", "--fp16", "--atol", "0.1")
		status, stdout, stderr := modelparity(t, args...)
		g.Expect(status).To(Equal(equal), stderr)
		g.Expect(stdout).To(MatchRegexp(`--layer-precisions .*grows`))
		g.Expect(stdout).To(ContainSubstring("note: --fp16 also lowers what this search kept in " +
			"float32: the body of If choice, com.microsoft.FusedMatMul fused; check the flags with " +
			"modelparity run --trt\n"))
	}
}
