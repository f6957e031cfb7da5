//go:build linux && cgo

package trt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/trtmock"
	"github.com/modelparity/modelparity/loaders"
)

// The mock of TensorRT and of the CUDA driver, compiled from testdata/mock: specs use it wherever
// they do not carry the label gpu.

const module = "../.."

var mocks sync.Map // of folders, by version

// mockDriver compiles the mock of the CUDA driver. The process has one, as the mocks of TensorRT
// are linked with it by its name.
var mockDriver = sync.OnceValue(func() string {
	folder := temporary()
	Expect(trtmock.Driver(module, folder, trtmock.SOName)).To(Succeed())
	return filepath.Join(folder, "libcuda.so.1")
})

// temporary is a folder for the suite's life.
func temporary() string {
	GinkgoHelper()
	folder, err := os.MkdirTemp("", "mock-tensorrt-")
	Expect(err).NotTo(HaveOccurred())
	folders.Store(folder, true)
	return folder
}

var folders sync.Map

var _ = AfterSuite(func() {
	folders.Range(func(folder, _ any) bool { return os.RemoveAll(folder.(string)) == nil })
})

// mock compiles the mock of a version and gives the folder that its libraries lie in. A spec that
// needs one but 10.6 is long.
func mock(major, minor int, flags ...string) string {
	GinkgoHelper()
	if major != 10 || minor != 6 || flags != nil {
		skips.Long(GinkgoT())
	}
	key := fmt.Sprint(major, minor, flags)
	build, _ := mocks.LoadOrStore(key, sync.OnceValue(func() string {
		folder := temporary()
		Expect(trtmock.TensorRT(module, folder, filepath.Dir(mockDriver()), major, minor,
			flags...)).To(Succeed())
		return folder
	}))
	return build.(func() string)()
}

// on is the options that run on a mock, without the engine cache of whoever runs the specs.
func on(folder string, options ...trt.Option) []trt.Option {
	return append([]trt.Option{trt.Library(folder), trt.NoEngineCache(),
		trt.Driver(mockDriver())}, options...)
}

// none is inputs for engines whose options say all.
var none fixtures.Inputs

// log is TensorRT's whole log of a spec, as lines.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// setenv sets a variable for the rest of the spec.
func setenv(name, value string) {
	GinkgoHelper()
	GinkgoT().Setenv(name, value)
}

// ONNX's numbers of element types.
const (
	onnxFloat = 1
	onnxInt64 = 7
)

func in(name string, elem int32, dims ...any) onnxtest.Value {
	return onnxtest.Value{Name: name, Elem: elem, Dims: dims}
}

// chain is Relu, Add of a constant, Identity: x → r → s → y.
func chain(name string, constant float32, dims ...any) *loaders.Model {
	return loaders.ONNXBytes(name, onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "Add", Name: "add", In: []string{"r", "c"}, Out: []string{"s"}},
			{Op: "Identity", Name: "last", In: []string{"s"}, Out: []string{"y"}},
		},
		Initializers: []onnxtest.Tensor{
			{Name: "c", Type: onnxFloat, Dims: []int64{1}, Raw: onnxtest.Float32s(constant)}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, dims...)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, dims...)},
	}}.Bytes())
}

// renamed is chain with a constant of another name.
func renamed() *loaders.Model {
	return loaders.ONNXBytes("renamed.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "Add", Name: "add", In: []string{"r", "other"}, Out: []string{"s"}},
			{Op: "Identity", Name: "last", In: []string{"s"}, Out: []string{"y"}},
		},
		Initializers: []onnxtest.Tensor{
			{Name: "other", Type: onnxFloat, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, 2)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, 2)},
	}}.Bytes())
}

// one is a model of one node with input x and output y.
func one(op string, elem int32, dims ...any) *loaders.Model {
	return loaders.ONNXBytes(strings.ToLower(op)+".onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: op, Name: "node", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{in("x", elem, dims...)},
		Outputs: []onnxtest.Value{in("y", elem, dims...)},
	}}.Bytes())
}

// expandOf is a model of one node with one input.
func expandOf(input string) *loaders.Model {
	return loaders.ONNXBytes(input+".onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Relu", Name: "node", In: []string{input}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{in(input, onnxFloat, 2)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, 2)},
	}}.Bytes())
}

// expand broadcasts x to the shape that s holds.
func expand() *loaders.Model {
	return loaders.ONNXBytes("expand.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Expand", Name: "expand", In: []string{"x", "s"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, 1), in("s", onnxInt64, 2)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, "a", "b")},
	}}.Bytes())
}

// nonZero is the indices where x is positive.
func nonZero() *loaders.Model {
	return loaders.ONNXBytes("nonzero.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "NonZero", Name: "find", In: []string{"r"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, 2, 3)},
		Outputs: []onnxtest.Value{in("y", onnxInt64, 2, "n")},
	}}.Bytes())
}
