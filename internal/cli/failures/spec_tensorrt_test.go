//go:build linux && cgo

package failures

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/trtmock"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// third is x → Relu r → Add y, by a third, which float16 cannot hold.
func third() backends.Subject {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{"n"}}}
	}
	model := loaders.ONNXBytes("third.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "Add", Name: "add", In: []string{"r", "third"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "third", Type: 1, Dims: []int64{1},
			Raw: onnxtest.Float32s(1. / 3)}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())
	one, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2, 0.5, 0.25)})
	return backends.Subject{Model: model, Inputs: fixtures.Of(one)}
}

// inTensorRT is engines whose numbers differ from float32's in the mock, whose FP16 rounds what
// every node gives.
func inTensorRT() []backends.Engine {
	return []backends.Engine{
		trt.Engine(trt.FP16()),
		trt.Engine(trt.FP16(), trt.PrecisionConstraints(trt.Obey),
			trt.LayerPrecision("add", tensor.Float16),
			trt.LayerPrecision("relu", tensor.Float16), // which the part lacks
			trt.TensorType("y", tensor.Float32),
			trt.Profile(trt.Range("x", []int{1}, []int{4}, []int{8})), trt.OptimizationLevel(2),
			trt.TF32(), trt.SparseWeights(), trt.WarmUp(1)),
	}
}

// TestSpecsOfTensorRTReproduce reduces in the mock of TensorRT and runs the specs that are written.
// Both happen in processes of their own, which find the mock by their environment.
func TestSpecsOfTensorRTReproduce(t *testing.T) {
	if folder := os.Getenv("MODELPARITY_TEST_SPECS"); folder != "" {
		reduceInTensorRT(t, folder)
		return
	}
	skips.Long(t)
	ort.Require(t)
	g := NewWithT(t)
	module, err := filepath.Abs("../../..")
	g.Expect(err).NotTo(HaveOccurred())
	mock, err := trtmock.Folder(module, t.TempDir(), 10, 6)
	g.Expect(err).NotTo(HaveOccurred())
	root, err := usermodule.Folder("spec-")
	g.Expect(err).NotTo(HaveOccurred())
	defer os.RemoveAll(root)
	environment := append(os.Environ(), "LD_LIBRARY_PATH="+mock,
		"MODELPARITY_TENSORRT_LIBRARY_PATH="+mock, "MODELPARITY_ENGINE_CACHE="+t.TempDir())

	again := exec.Command(os.Args[0], "-test.run=^TestSpecsOfTensorRTReproduce$")
	again.Env = append(environment, "MODELPARITY_TEST_SPECS="+root)
	out, err := again.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), "%s", out)

	specs := exec.Command("go", "test", "-count=1", "./...")
	specs.Dir, specs.Env = root, environment
	out, _ = specs.CombinedOutput()
	g.Expect(string(out)).NotTo(MatchRegexp("(build|setup) failed"))
	failed := regexp.MustCompile(`(?m)^FAIL\t.*/\d`).FindAll(out, -1)
	g.Expect(failed).To(HaveLen(2*len(inTensorRT())), "%s", out)
	differ := regexp.MustCompile(`FAIL  y  float32\[4\]  4 of 4 elements mismatch`).FindAll(out, -1)
	g.Expect(differ).To(HaveLen(2*len(inTensorRT())), "%s", out)
}

// reduceInTensorRT writes what is found with TensorRT on either side.
func reduceInTensorRT(t *testing.T, folder string) {
	g := NewWithT(t)
	rule := compare.Options{Checks: []compare.Check{compare.Within(1e-6, 0, compare.Elementwise)}}
	for i, engine := range inTensorRT() {
		for j, sides := range [][2]backends.Engine{{engine, ort.Engine()}, {ort.Engine(), engine}} {
			actual, expected := in(sides[0], third()), in(sides[1], third())
			f, err := Differing(t.Context(), actual, expected, rule)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(f.LeavesOut()).To(BeFalse())
			part := filepath.Join(folder, fmt.Sprint(2*i+j))
			g.Expect(os.MkdirAll(part, 0o755)).To(Succeed())
			found, _, err := f.ReduceTo(t.Context(), ReduceFiles{Model: filepath.Join(part, "part.onnx")},
				locate.ReduceOptions{})
			f.Close()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(names(found.Nodes)).To(Equal([]string{"add"}))
		}
	}
}
