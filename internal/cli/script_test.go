package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/internal/testing/trtmock"
	"github.com/modelparity/modelparity/loaders"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"modelparity": func() { os.Exit(Main()) }})
}

// TestScripts runs the scripts of testdata/script, each in an empty folder. They see the models and
// the runs recorded by the real Polygraphy under $DATA, scikit-learn's models under $SKLEARN,
// models in OpenVINO's formats under $FORMATS, decoders of transformers under $DECODERS, a mock of
// TensorRT and of the CUDA driver in $MOCK, with a model that it computes (chain.onnx), one that
// lets rows feel each other (leaking.onnx), and have commands of their own:
//
//	exits STATUS PROGRAM ARGUMENT...
//	plant MODEL WEIGHT OUT
//	cutlibrary FILE|cache/
//	deadlylibrary FILE
func TestScripts(t *testing.T) {
	data, err := filepath.Abs(filepath.Join("testdata", "polygraphy"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs(filepath.Join("..", "..", "example_test"))
	if err != nil {
		t.Fatal(err)
	}
	sklearn, err := filepath.Abs(filepath.Join("testdata", "sklearn"))
	if err != nil {
		t.Fatal(err)
	}
	formats, err := filepath.Abs(filepath.Join("..", "..", "backends", "openvino", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	decoders, err := filepath.Abs(filepath.Join("..", "..", "decode", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	noRuntime := ""
	if err := ort.Available(); err != nil {
		noRuntime = err.Error()
	}
	mock, noMock := trtmock.Folder(filepath.Join("..", ".."), t.TempDir(), 10, 6)
	var noPython absence
	python := pythontest.With(&noPython, "polygraphy", "onnxruntime")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", data)
			env.Setenv("EXAMPLES", examples)
			env.Setenv("SKLEARN", sklearn)
			env.Setenv("FORMATS", formats)
			env.Setenv("DECODERS", decoders)
			env.Setenv("XDG_CACHE_HOME", cache) // where ONNX Runtime lies; a script has no home
			env.Setenv(engines.ONNXRuntime.Variable, os.Getenv(engines.ONNXRuntime.Variable))
			env.Setenv("PYTHON", python)
			env.Setenv("MOCK", mock)
			return errors.Join(
				os.WriteFile(filepath.Join(env.WorkDir, "chain.onnx"), trtmock.Chain(), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "leaking.onnx"), leaking(), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "imports.onnx"), imports(), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "int4.onnx"), onnxtest.FewBits(true).Bytes(),
					0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "free.onnx"), free(), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "crashing.onnx"), crashing(), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "large.onnx"), large(), 0o600))
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "ort":
				return need(name, noRuntime)
			case "tract":
				return enginetest.Has("tract", tract.Available()), nil
			case "openvino":
				return enginetest.Has("openvino", openvino.Available()), nil
			case "bf16":
				model := loaders.ONNXBytes("chain.onnx", trtmock.Chain())
				_, err := openvino.Run(t.Context(), model, fixtures.Random(model),
					openvino.Precision(openvino.BFloat16))
				return err == nil, nil // else this processor has no kernels for it
			case "ort-cuda":
				return ort.Available(ort.Providers("cuda")) == nil, nil
			case "polygraphy":
				return need(name, noPython.reason)
			case "mock":
				return noMock == nil, noMock
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			case "trt":
				return trt.Available() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "plant": plant, "cutlibrary": cutLibrary,
			"deadlylibrary": deadlyLibrary},
		RequireExplicitExec: true,
	})
}

// crashing is a float16 model at whose MatMul ONNX Runtime's optimiser crashes; see
// docs/evidence/findings.md.
func crashing() []byte {
	const float16 = 10
	return onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float16, Dims: []any{5, 2, 4}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float16, Dims: []any{2, 5, 6}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: float16, Dims: []int64{4, 6},
			Raw: make([]byte, 2*4*6)}},
		Nodes: []onnxtest.Node{
			{Op: "Transpose", In: []string{"x"}, Out: []string{"t"},
				Attrs: []onnxtest.Attr{{Name: "perm", Ints: []int64{1, 0, 2}}}},
			{Op: "MatMul", In: []string{"t", "w"}, Out: []string{"m"}},
			{Op: "Relu", In: []string{"m"}, Out: []string{"y"}}}}}.Bytes()
}

// leaking adds up the rows of a batch, so that each feels those before it.
func leaking() []byte {
	const float, long = 1, 7
	batch := []any{"batch", 4}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Mul", Name: "square", In: []string{"x", "x"}, Out: []string{"squared"}},
			{Op: "CumSum", Name: "adds up rows", In: []string{"squared", "axis"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "axis", Type: long, Raw: make([]byte, 8)}},
		Inputs:       []onnxtest.Value{{Name: "x", Elem: float, Dims: batch}},
		Outputs:      []onnxtest.Value{{Name: "y", Elem: float, Dims: batch}},
	}}.Bytes()
}

// imports is a chain in a model that imports two operator sets, as scikit-learn's exporter does.
func imports() []byte {
	const float = 1
	return onnxtest.Model{Opsets: map[string]int64{"": 17, "ai.onnx.ml": 3}, Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "MatMul", Name: "project", In: []string{"r", "w"}, Out: []string{"m"}},
			{Op: "Sigmoid", Name: "sigmoid", In: []string{"m"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: float, Dims: []int64{3, 3},
			Raw: onnxtest.Float32s(1, 2, 3, 4, 5, 6, 7, 8, 9)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{2, 3}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{2, 3}}},
	}}.Bytes()
}

// free declares a size of its input as free, although its weights need 3.
func free() []byte {
	const float = 1
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Concat", Name: "append", In: []string{"x", "row"}, Out: []string{"c"},
				Attrs: []onnxtest.Attr{{Name: "axis", Int: new(int64(0))}}},
			{Op: "MatMul", Name: "project", In: []string{"c", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "row", Type: float, Dims: []int64{1, 3}, Raw: onnxtest.Float32s(7, 8, 9)},
			{Name: "w", Type: float, Dims: []int64{3, 2}, Raw: onnxtest.Float32s(1, 2, 3, 4, 5, 6)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{"batch", "features"}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{"rows", 2}}},
	}}.Bytes()
}

// large is a model whose output y has 1 GiB.
func large() []byte {
	const float, long, elements = 1, 7, 1 << 28
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Expand", In: []string{"x", "shape"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "shape", Type: long, Dims: []int64{1},
			Raw: binary.LittleEndian.AppendUint64(nil, elements)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{1}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{elements}}},
	}}.Bytes()
}

// need is whether a script may run, for the reason why something is missing; where that is
// required, missing it is an error.
func need(name, missing string) (bool, error) {
	if missing != "" && backends.Required(name) {
		return false, fmt.Errorf("%s (%s requires %s)", missing, backends.RequireVariable, name)
	}
	return missing == "", nil
}

// absence keeps the reason that pythontest would skip or fail a spec for.
type absence struct{ reason string }

func (*absence) Helper() {}

func (f *absence) Skipf(format string, args ...any)  { f.reason = fmt.Sprintf(format, args...) }
func (f *absence) Fatalf(format string, args ...any) { f.reason = fmt.Sprintf(format, args...) }

// cutLibrary writes the first thousand bytes of ONNX Runtime's library into a file, or to where it
// belongs in a cache: opening them is a bus error.
func cutLibrary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cutlibrary FILE|cache/")
	}
	library, err := engines.ONNXRuntime.Path()
	ts.Check(err)
	data, err := os.ReadFile(library)
	ts.Check(err)
	target := ts.MkAbs(args[0])
	if strings.HasSuffix(args[0], "/") {
		cache, err := os.UserCacheDir()
		ts.Check(err)
		inside, err := filepath.Rel(cache, library)
		ts.Check(err)
		target = filepath.Join(target, inside)
		ts.Check(os.MkdirAll(filepath.Dir(target), 0o755))
	}
	ts.Check(os.WriteFile(target, data[:1000], 0o600))
}

// deadlyLibrary compiles a library that kills the process that opens it.
func deadlyLibrary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: deadlylibrary FILE")
	}
	source := ts.MkAbs("deadly.c")
	code := "__attribute__((constructor)) static void die(void) { *(volatile int *)8 = 1; }\n"
	ts.Check(os.WriteFile(source, []byte(code), 0o600))
	ts.Check(ts.Exec("cc", "-shared", "-fPIC", "-o", ts.MkAbs(args[0]), source))
}

// exits runs a program and holds its exit status to the first argument.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		status = exit.ExitCode()
	}
	if status != want {
		ts.Fatalf("%s exited with %d, not with %d", args[1], status, want)
	}
}
