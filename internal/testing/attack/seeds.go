//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

// seed is a good file and the commands that read it. In a command, BAD stands for the path of a
// damaged copy, and GOOD for the path of the good file.
type seed struct {
	name, path string
	data       []byte
	commands   []string
}

// These models are in the checkout. The commands run gemm on damaged inputs.
const (
	gemm        = recorded + "models/fp32_gemm.onnx"
	recorded    = "internal/cli/testdata/polygraphy/"
	weightsFile = "weights.bin" // external data, next to good models and next to damaged copies
)

// seeds writes good files of every format, and copies files that other programs wrote.
func (a *attack) seeds() ([]seed, error) {
	l := &layout{dir: filepath.Join(a.dir, "seeds")}
	var list []seed
	add := func(path string, commands ...string) {
		data, err := os.ReadFile(path)
		good := filepath.Join(l.dir, filepath.Base(path))
		if _, wrong := os.Stat(good); wrong == nil && good != path { // two have the same name
			good = filepath.Join(l.dir, filepath.Base(filepath.Dir(path))+"-"+filepath.Base(path))
		}
		if good != path { // do not write into the checkout
			l.file(string(data), filepath.Base(good))
		}
		l.err = errors.Join(l.err, err)
		list = append(list, seed{filepath.Base(good), good, data, commands})
	}
	from := func(path string) string { return filepath.Join(a.root, path) }
	a.addRuns(l, add)

	run := "run " + from(gemm) + " --onnxrt --validate"
	inputs := []string{from(recorded + "recorded/fp32_gemm/inputs.json")}
	for set, err := range fixtures.Load(inputs[0]).All() {
		for _, name := range []string{"X.npz", "X.npy", "X.pb", "X.safetensors"} {
			inputs = append(inputs, l.path(name))
			l.err = errors.Join(l.err, err, fixtures.Save(l.path(name), fixtures.Of(set)))
		}
		break
	}
	for _, path := range inputs { // one command in four runs a model, because engines start slowly
		add(path, "inspect BAD", "inspect BAD", "inspect BAD --histogram --json",
			run+" --load-inputs BAD")
	}

	l.file(string(make([]byte, 64)), weightsFile)
	l.model("external.onnx", "y", onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", Name: "add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{4}, Location: weightsFile,
			Offset: "16", Length: "16"}}})
	for _, m := range [][2]string{{l.path("external.onnx"), "y"}, {from(gemm), "Y"},
		{from(recorded + "models/multi_output.onnx"), "sum"},
		{from("example_test/digits/testdata/digits.onnx"), "logits"},
		{from("example_test/digits-int8/testdata/digits_int8.onnx"), "logits"},
		{from("example_test/dynamic/testdata/encoder.onnx"), "embedding"}} {
		add(m[0], "inspect BAD --full", "inspect BAD GOOD", "inspect BAD --json",
			"cut BAD -o BAD.part --to "+m[1])
	}

	lock := enginelock.Lock{Engines: []enginelock.Entry{{Engine: engines.ONNXRuntime}}}
	l.err = errors.Join(l.err, lock.Write(l.path(enginelock.Name)))
	add(l.path(enginelock.Name), enginelock.Variable+"=BAD "+run)
	return list, l.err
}

// addRuns adds a golden file and saved runs, whose tensors have many types and shapes.
func (a *attack) addRuns(l *layout, add func(path string, commands ...string)) {
	floats := make([]float32, 64)
	for i := range floats {
		floats[i] = float32(i) / 7
	}
	matrix, err := tensor.New(tensor.Shape{4, 16}, floats)
	empty, wrong := tensor.New(tensor.Shape{0, 3}, []float64{})
	words, other := tensor.FromStrings(tensor.Shape{2}, []string{"one", "zwei"})
	l.err = errors.Join(l.err, err, wrong, other)
	all := l.set("logits", matrix, "empty", empty, "words", words, "scalar", tensor.Scalar(int64(7)),
		"mask", tensor.Of(true, false, true), "half", tensor.Of(tensor.BF16FromFloat32(1.5)))
	l.saved("golden.json", all, all)
	paths := []string{l.path("golden.json")}
	for _, name := range []string{"run.npz", "run.npy", "run.pb", "run.safetensors"} {
		l.saved(name, l.set("logits", matrix))
		paths = append(paths, l.path(name))
	}
	for _, path := range paths {
		add(path, "compare BAD GOOD", "compare GOOD BAD --report - -v", "inspect BAD --histogram",
			"inspect BAD --json")
	}
	for _, of := range []string{"fp32_gemm", "nan_inf"} { // these files hold two runs
		add(filepath.Join(a.root, recorded, "recorded", of, "outputs.json"), "compare BAD#0 GOOD#0",
			"compare GOOD#0 BAD#0 --report - -v", "inspect BAD --histogram", "inspect BAD --json")
	}
}
