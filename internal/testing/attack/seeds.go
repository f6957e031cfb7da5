//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// seed is a good file with the commands that read it. Each function takes the path of a damaged
// copy and the path of the good file, and returns a command's arguments.
type seed struct {
	name, path string
	data       []byte
	commands   []func(mutated, good string) victim
}

// gemm is the model that the commands run on damaged inputs.
const gemm = "internal/cli/testdata/polygraphy/models/fp32_gemm.onnx"

// seeds writes good files of every format, and copies files written by other programs.
func (a *attack) seeds() ([]seed, error) {
	folder := filepath.Join(a.dir, "seeds")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	var list []seed
	add := func(path string, commands []func(mutated, good string) victim) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		good := filepath.Join(folder, filepath.Base(path))
		if good != path { // do not write into the checkout
			if _, err := os.Stat(good); err == nil {
				good = filepath.Join(folder, filepath.Base(filepath.Dir(path))+"-"+filepath.Base(path))
			}
			if err := os.WriteFile(good, data, 0o600); err != nil {
				return err
			}
		}
		list = append(list, seed{filepath.Base(good), good, data, commands})
		return nil
	}
	saved, err := a.runFiles(folder)
	if err != nil {
		return nil, err
	}
	for _, path := range saved {
		pick := ""
		if strings.HasSuffix(path, "outputs.json") { // Polygraphy's files hold two runs
			pick = "#0"
		}
		if err := add(path, readsRun(pick)); err != nil {
			return nil, err
		}
	}
	inputs, err := a.inputFiles(folder)
	if err != nil {
		return nil, err
	}
	for _, path := range inputs {
		if err := add(path, a.readsInputs()); err != nil {
			return nil, err
		}
	}
	models, err := a.modelFiles(folder)
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		if err := add(m.path, readsModel(m.output)); err != nil {
			return nil, err
		}
	}
	lock := filepath.Join(folder, enginelock.Name)
	entry := enginelock.Entry{Engine: engines.ONNXRuntime}
	if err := (enginelock.Lock{Engines: []enginelock.Entry{entry}}).Write(lock); err != nil {
		return nil, err
	}
	return list, add(lock, a.readsLock())
}

// matrix returns a tensor of ordinary numbers.
func matrix() (*tensor.Tensor, error) {
	floats := make([]float32, 64)
	for i := range floats {
		floats[i] = float32(i) / 7
	}
	return tensor.New(tensor.Shape{4, 16}, floats)
}

// outputs returns tensors of many types and shapes that Polygraphy's JSON can represent.
func outputs(matrix *tensor.Tensor) (*tensor.Set, error) {
	empty, err := tensor.New(tensor.Shape{0, 3}, []float64{})
	if err != nil {
		return nil, err
	}
	words, err := tensor.FromStrings(tensor.Shape{2}, []string{"one", "zwei"})
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "logits", Tensor: matrix},
		tensor.Entry{Name: "empty", Tensor: empty}, tensor.Entry{Name: "words", Tensor: words},
		tensor.Entry{Name: "scalar", Tensor: tensor.Scalar(int64(7))},
		tensor.Entry{Name: "mask", Tensor: tensor.Of(true, false, true)},
		tensor.Entry{Name: "half", Tensor: tensor.Of(tensor.BF16FromFloat32(1.5))})
}

func (a *attack) runFiles(folder string) ([]string, error) {
	matrix, err := matrix()
	if err != nil {
		return nil, err
	}
	set, err := outputs(matrix)
	if err != nil {
		return nil, err
	}
	run := backends.NewRun(backends.Provenance{Backend: "attack"},
		backends.Iteration{Outputs: set}, backends.Iteration{Outputs: set})
	goldenFile := filepath.Join(folder, "golden.json")
	if err := golden.Write(goldenFile, run, golden.Options{}); err != nil {
		return nil, err
	}
	logits, err := tensor.NewSet(tensor.Entry{Name: "logits", Tensor: matrix})
	if err != nil {
		return nil, err
	}
	one := backends.NewRun(run.Provenance, backends.Iteration{Outputs: logits})
	paths := []string{goldenFile,
		filepath.Join(a.root, "internal/cli/testdata/polygraphy/recorded/fp32_gemm/outputs.json"),
		filepath.Join(a.root, "internal/cli/testdata/polygraphy/recorded/nan_inf/outputs.json")}
	for _, name := range []string{"run.npz", "run.npy", "run.pb", "run.safetensors"} {
		path := filepath.Join(folder, name)
		if err := runs.WriteRuns(path, []runs.Named{{Name: "attack", Run: one}}); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (a *attack) inputFiles(folder string) ([]string, error) {
	recorded := filepath.Join(a.root,
		"internal/cli/testdata/polygraphy/recorded/fp32_gemm/inputs.json")
	inputs := fixtures.Load(recorded)
	var first *tensor.Set
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		first = set
		break
	}
	paths := []string{recorded}
	for _, name := range []string{"X.npz", "X.npy", "X.pb", "X.safetensors"} {
		path := filepath.Join(folder, name)
		if err := fixtures.Save(path, fixtures.Of(first)); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// modelFile is a model and the name of one of its outputs.
type modelFile struct{ path, output string }

func (a *attack) modelFiles(folder string) ([]modelFile, error) {
	const float = 1
	external := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", Name: "add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: float, Dims: []int64{4},
			Location: "weights.bin", Offset: "16", Length: "16"}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{4}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{4}}},
	}}
	path := filepath.Join(folder, "external.onnx")
	if err := os.WriteFile(path, external.Bytes(), 0o600); err != nil {
		return nil, err
	}
	for _, in := range []string{folder, a.dir} { // next to the good model and next to damaged copies
		err := os.WriteFile(filepath.Join(in, "weights.bin"), make([]byte, 64), 0o600)
		if err != nil {
			return nil, err
		}
	}
	in := func(path string) string { return filepath.Join(a.root, path) }
	return []modelFile{{path, "y"}, {in(gemm), "Y"},
		{in("internal/cli/testdata/polygraphy/models/multi_output.onnx"), "sum"},
		{in("example_test/digits/testdata/digits.onnx"), "logits"},
		{in("example_test/digits-int8/testdata/digits_int8.onnx"), "logits"},
		{in("example_test/dynamic/testdata/encoder.onnx"), "embedding"}}, nil
}

// readsRun lists the commands that read saved runs. pick, such as "#0", is appended to a path to
// select one of the runs in the file.
func readsRun(pick string) []func(mutated, good string) victim {
	return []func(mutated, good string) victim{
		func(mutated, good string) victim {
			return victim{args: []string{"compare", mutated + pick, good + pick}}
		},
		func(mutated, good string) victim {
			return victim{args: []string{"compare", good + pick, mutated + pick, "--report", "-", "-v"}}
		},
		func(mutated, _ string) victim {
			return victim{args: []string{"inspect", mutated, "--histogram"}}
		},
		func(mutated, _ string) victim { return victim{args: []string{"inspect", mutated, "--json"}} },
	}
}

// readsModel lists the commands that read models. output is the name of an output of the model.
func readsModel(output string) []func(mutated, good string) victim {
	return []func(mutated, good string) victim{
		func(mutated, _ string) victim { return victim{args: []string{"inspect", mutated, "--full"}} },
		func(mutated, good string) victim { return victim{args: []string{"inspect", mutated, good}} },
		func(mutated, _ string) victim { return victim{args: []string{"inspect", mutated, "--json"}} },
		func(mutated, _ string) victim {
			return victim{args: []string{"cut", mutated, "-o", mutated + ".part", "--to", output}}
		},
	}
}

// readsInputs lists the commands that read inputs. Only one in four also runs a model, because
// engines start slowly.
func (a *attack) readsInputs() []func(mutated, good string) victim {
	inspect := func(mutated, _ string) victim { return victim{args: []string{"inspect", mutated}} }
	return []func(mutated, good string) victim{inspect, inspect,
		func(mutated, _ string) victim {
			return victim{args: []string{"inspect", mutated, "--histogram", "--json"}}
		},
		func(mutated, _ string) victim {
			return victim{args: []string{"run", filepath.Join(a.root, gemm), "--onnxrt",
				"--load-inputs", mutated, "--validate"}}
		},
	}
}

// readsLock returns the command that runs a model while the engine lock is damaged.
func (a *attack) readsLock() []func(mutated, good string) victim {
	return []func(mutated, good string) victim{func(mutated, _ string) victim {
		return victim{args: []string{"run", filepath.Join(a.root, gemm), "--onnxrt", "--validate"},
			env: []string{enginelock.Variable + "=" + mutated}}
	}}
}
