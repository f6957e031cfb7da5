package cli

import (
	"os"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// TestNoSpecIsWrittenThatCannotPass has models on whose outputs the check for NaN fails, or has
// nothing to look at.
func TestNoSpecIsWrittenThatCannotPass(t *testing.T) {
	ort.Require(t)
	const float, integer, text = 1, 7, 8
	node := func(op string, to int64) []onnxtest.Node {
		n := onnxtest.Node{Op: op, Name: "n", In: []string{"x"}, Out: []string{"y"}}
		if to > 0 {
			n.Attrs = []onnxtest.Attr{{Name: "to", Int: &to}}
		}
		return []onnxtest.Node{n}
	}
	for _, row := range []struct {
		what    string
		elem    int32
		nodes   []onnxtest.Node
		runners []string
		says    string
	}{
		{"finite numbers", float, node("Neg", 0), nil, ""},
		{"infinities", float, node("Log", 0), []string{"--val-range", "[0,0]"},
			`the spec would fail: 1 of 1 outputs are not finite; choose other inputs with --val-range`},
		{"integers", integer, node("Cast", integer), nil,
			`with expected ones; add an engine to compare with, such as --openvino`},
		{"integers of two engines", integer, node("Cast", integer), []string{"--onnxrt", "--onnxrt"}, ""},
		{"texts", text, node("Cast", text), nil,
			`no output has a type that can represent NaN or infinities`},
		{"an operator that does not exist", float, node("Frobnicate", 0), nil, `the spec would fail: `},
	} {
		g := NewWithT(t)
		t.Chdir(t.TempDir())
		model := onnxtest.Model{Graph: onnxtest.Graph{Nodes: row.nodes,
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: row.elem, Dims: []any{2}}}}}
		g.Expect(os.WriteFile("net.onnx", model.Bytes(), 0o600)).To(Succeed())
		runners := row.runners
		if !slices.Contains(runners, "--onnxrt") {
			runners = append(runners, "--onnxrt") // template's default
		}
		for _, line := range [][]string{
			append([]string{"template", "net.onnx", "-o", "net_test.go"}, row.runners...),
			append([]string{"run", "net.onnx", "--gen-script", "net_test.go"}, runners...),
		} {
			status, _, stderr := modelparity(t, line...)
			if row.says == "" {
				g.Expect(status).To(Equal(equal), row.what, stderr)
				g.Expect(os.Remove("net_test.go")).To(Succeed())
				continue
			}
			g.Expect(status).To(Equal(unusable), row.what)
			g.Expect(stderr).To(ContainSubstring(row.says), row.what)
			g.Expect("net_test.go").NotTo(BeAnExistingFile())
		}
	}
}
