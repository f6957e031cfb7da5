package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// drawing has a command line for each command that draws inputs, to follow the model.
var drawing = map[string][]string{
	"run":             {"--onnxrt", "--smoke"},
	"locate":          {"--expected-onnxrt-threads", "2"},
	"tolerance":       {"--onnxrt"},
	"repair":          {"--fp16", "--atol", "1"},
	"twin":            {"--onnxrt"},
	"vote":            {"--onnxrt", "--openvino", "--no-locate"},
	"bisect":          {"--onnxrt", "1.24.4," + engines.ONNXRuntime.Version, "--no-locate"},
	"relations":       {"--only", "repeat"},
	"reduce":          {"-o", "small.onnx", "--check", "false"},
	"debug reduce":    {"-o", "small.onnx", "--check", "false"},
	"debug precision": {"--onnxrt", "--fp16", "--atol", "1"},
	"cut":             {"--to", "m", "-o", "part.onnx"},
	"check lint":      {},
	"template":        {"-o", "net_test.go"},
	"search":          nil, // tries other sizes too
	"convert":         nil, // see builder.txtar
	"debug build":     nil, // see debug.txtar
}

// TestCommandsSayWhichDimensionsTheyTookAsOne runs each command that draws inputs on a model with a
// dynamic dimension.
func TestCommandsSayWhichDimensionsTheyTookAsOne(t *testing.T) {
	ort.Require(t, ort.Release("1.24.4"))
	openvino.Require(t)
	t.Chdir(t.TempDir())
	value := func(name string, n int) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{"batch", n}}}
	}
	model := onnxtest.Model{Graph: onnxtest.Graph{
		Inputs: value("x", 2), Outputs: value("y", 3),
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2, 3},
			Raw: onnxtest.Float32s(1, 2, 3, 4, 5, 6)}},
		Nodes: []onnxtest.Node{
			{Op: "MatMul", Name: "project", In: []string{"x", "w"}, Out: []string{"m"}},
			{Op: "Relu", Name: "relu", In: []string{"m"}, Out: []string{"y"}}}}}
	if err := os.WriteFile("net.onnx", model.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, flags := range requests {
		draws := slices.ContainsFunc(flags(), func(f flag) bool {
			return f.Name == "--input-shapes" && f.Apply != nil
		})
		if _, known := drawing[command]; known != draws {
			t.Errorf("%s: say in drawing how the command draws inputs", command)
		}
	}
	const note = `note: dynamic dimensions taken as 1: input "x" "batch"; set them with `
	for command, args := range drawing {
		if args == nil {
			continue
		}
		args = slices.Concat(strings.Fields(command), []string{"net.onnx"}, args)
		status, stdout, stderr := modelparity(t, args...)
		said := stdout + stderr
		if status == unusable || strings.Count(said, note+"--input-shapes\n") != 1 {
			t.Errorf("%q does not say once which dimension it took as 1; status %d\n%s", args, status, said)
		}
		given := append([]string{"--input-shapes", "x:[1,2]"}, args[len(strings.Fields(command))+1:]...)
		given = slices.Concat(strings.Fields(command), []string{"net.onnx"}, given)
		if _, stdout, stderr := modelparity(t, given...); strings.Contains(stdout+stderr, "taken as 1") {
			t.Errorf("%q: the dimension is set\n%s%s", given, stdout, stderr)
		}
		for _, file := range []string{"small.onnx", "part.onnx", "net_test.go"} {
			_ = os.Remove(file)
		}
	}
	_, stdout, stderr := modelparity(t, "surgeon", "sanitize", "net.onnx", "-o", "out.onnx",
		"--force-fallback-shape-inference")
	if !strings.Contains(stdout+stderr, note+"--model-input-shapes\n") {
		t.Errorf("surgeon says %s%s", stdout, stderr)
	}
}
