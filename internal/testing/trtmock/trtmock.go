// Package trtmock compiles the mocks of TensorRT and of the CUDA driver in
// backends/trt/testdata/mock, for specs that run without a GPU. With the mocks, specs test
// modelparity's own code, not TensorRT.
package trtmock

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// SOName is the name under which the mocks of TensorRT look for the mock driver, just as the real
// libraries look for the real driver. A process can load only one library with a given name, so a
// second mock driver must not have this one.
const SOName = "libcuda.so.1"

// Driver compiles the mock of the CUDA driver to the file libcuda.so.1 in a folder. The parameter
// name is the library's soname. Pass [SOName], or pass "" for a second driver in the same process.
func Driver(module, folder, name string) error {
	return compile("-Wl,-soname,"+name, "-o", filepath.Join(folder, "libcuda.so.1"),
		source(module, "cuda.c"))
}

// TensorRT compiles the mock of one version of TensorRT into a folder: the core library, the parser
// and the plugins. module is the root folder of this module, driver is the folder passed to
// [Driver], and flags are additional compiler flags.
func TensorRT(module, folder, driver string, major, minor int, flags ...string) error {
	core := filepath.Join(folder, fmt.Sprintf("libnvinfer.so.%d", major))
	sources, err := filepath.Glob(source(module, "*.c"))
	if err != nil {
		return err
	}
	sources = slices.DeleteFunc(sources, func(path string) bool {
		return filepath.Base(path) == "cuda.c"
	})
	err = compile(slices.Concat(flags, []string{"-fvisibility=hidden",
		"-I" + filepath.Join(module, "internal", "trtabi"),
		fmt.Sprintf("-DMOCK_MAJOR=%d", major), fmt.Sprintf("-DMOCK_MINOR=%d", minor),
		"-Wl,-Bsymbolic", "-Wl,-rpath," + driver, "-o", core}, sources,
		[]string{"-L" + driver, "-l:libcuda.so.1", "-lm"})...)
	for _, base := range []string{"libnvonnxparser", "libnvinfer_plugin"} {
		if err == nil {
			err = os.Symlink(core, fmt.Sprintf("%s/%s.so.%d", folder, base, major))
		}
	}
	return err
}

// Folder compiles both mocks into one folder, for a program whose LD_LIBRARY_PATH and
// MODELPARITY_TENSORRT_LIBRARY_PATH contain that folder. On systems other than Linux it returns "".
func Folder(module, folder string, major, minor int) (string, error) {
	if runtime.GOOS != "linux" {
		return "", nil
	}
	err := Driver(module, folder, SOName)
	if err == nil {
		err = TensorRT(module, folder, folder, major, minor)
	}
	return folder, err
}

func source(module, name string) string {
	return filepath.Join(module, "backends", "trt", "testdata", "mock", name)
}

func compile(arguments ...string) error {
	compiler := cmp.Or(os.Getenv("CC"), "cc")
	command := exec.Command(compiler,
		append([]string{"-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-g"}, arguments...)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", compiler, err, output)
	}
	return nil
}

// Chain returns the model y = Relu(x) + 1 for any number of elements, which the mock can compute.
func Chain() []byte {
	const float = 1
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "Add", Name: "add", In: []string{"r", "one"}, Out: []string{"y"}},
		},
		Initializers: []onnxtest.Tensor{
			{Name: "one", Type: float, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{"n"}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{"n"}}},
	}}.Bytes()
}
