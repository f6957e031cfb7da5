package engineflags

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/loaders"
)

// ToBuild returns an ONNX model together with TensorRT and the inputs. When TensorRT opens the
// model, it builds an engine and writes it to out. files must name one model. marks selects tensors
// that become outputs.
func (f *Flags) ToBuild(files []string, out string, marks loaders.Selection, in *inputflags.Flags) (
	s backends.Subject, err error) {
	switch {
	case len(files) != 1:
		return s, arguments.Wanted("convert takes one model", files)
	case out == "":
		return s, errors.New("the output is missing; add -o ENGINE.plan")
	case strings.EqualFold(filepath.Ext(out), ".onnx"):
		return s, fmt.Errorf("%s: convert writes a TensorRT engine, not an ONNX file; write "+
			"-o ENGINE.plan", out)
	}
	if err := errors.Join(f.Check(trtRunner), in.Check()); err != nil {
		return s, err
	}
	given, err := f.Model(files[0])
	if err != nil {
		return s, err
	}
	file, isONNX := given.(*loaders.Model)
	if !isONNX {
		return s, fmt.Errorf("convert takes an ONNX model, got %s", backends.Described(given))
	}
	if err := file.Load(); err != nil {
		return s, err
	}
	model, wanted, err := file.Marked(marks)
	if err != nil {
		return s, err
	}
	f.tensorrt.Add(trt.SavePlan(out))
	if err := f.tensorrt.Keep(model, wanted); err != nil {
		return s, err
	}
	return f.Subject(trtRunner, model, f.Inputs(in, model), in.Shapes())
}

// NoCache makes TensorRT rebuild every engine instead of using the cache.
func (f *Flags) NoCache() { f.tensorrt.Add(trt.NoEngineCache()) }
