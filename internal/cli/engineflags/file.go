package engineflags

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// Model returns the model in a file: an ONNX model, a TensorRT engine, a model of a framework that
// runs as a program, or a model in another format that OpenVINO reads. --model-type decides which
// of these the file contains; without it, the file's extension decides.
func (f *Flags) Model(path string) (fixtures.Declaration, error) {
	if f.IsEngine(path) {
		options, err := f.tensorrt.Options(nil)
		return trt.Plan(path, options...), err
	}
	if program := f.owner(path); program != "" {
		var err error
		model := process.Model(path, f.program(program, "")...)
		for _, runner := range f.runners { // report a mismatch before anything runs
			if _, wrong := f.original(runner, model.(file)); err == nil {
				err = wrong
			}
		}
		return model, err
	}
	if IsForeign(f.modelType, path) {
		return openvino.File(path), nil
	}
	if len(f.fixed) > 0 {
		return edit.WithInputShapes(loaders.ONNX(path), f.fixed)
	}
	return loaders.ONNX(path), nil
}

// Marked is like [Flags.Model], but also makes the selected tensors outputs of the model. It also
// returns the names of the outputs to compare. Only ONNX models support a selection.
func (f *Flags) Marked(path string, tensors loaders.Selection) (model fixtures.Declaration,
	wanted []string, err error) {
	if model, err = f.Model(path); err != nil {
		return nil, nil, err
	}
	if onnx, ok := model.(*loaders.Model); ok {
		return onnx.Marked(tensors)
	}
	if tensors.All || len(tensors.Names)+len(tensors.Ops)+len(tensors.Except) > 0 {
		return nil, nil, fmt.Errorf("--mark-all, --onnx-outputs and --exclude-outputs select tensors of "+
			"an ONNX model, got %s; drop them", backends.Described(model))
	}
	return model, nil, nil
}

// OnlyONNX returns an error if the file is not an ONNX model, because other models cannot be
// changed.
func (f *Flags) OnlyONNX(path string) error {
	model, err := f.Model(path)
	if _, ok := model.(*loaders.Model); !ok && err == nil {
		return fmt.Errorf("flags that change or save a model need an ONNX model, got %s; drop them",
			backends.Described(model))
	}
	return err
}

// IsEngine reports whether the file is a TensorRT engine, judging by --model-type or by the file's
// extension.
func (f *Flags) IsEngine(path string) bool { return IsEngine(f.modelType, path) }

// IsEngine reports whether a file is a TensorRT engine, judging by modelType or, if that is empty,
// by the file's extension.
func IsEngine(modelType, path string) bool {
	if modelType != "" {
		return modelType == "engine"
	}
	return slices.Contains([]string{".engine", ".plan"}, strings.ToLower(filepath.Ext(path)))
}

// IsForeign reports whether only OpenVINO reads the file, judging by modelType or, if that is
// empty, by the extension. A .pb file may be an ONNX or a TensorFlow model, so its contents decide.
// A .json file is a PaddlePaddle model only if modelType says so, because saved runs are .json
// files too.
func IsForeign(modelType, path string) bool {
	if modelType != "" {
		return modelType == "openvino" || modelType == "frozen"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return false
	case ".pb":
		err := loaders.ONNX(path).Load()
		return err != nil && !errors.Is(err, fs.ErrNotExist) && startsGraph(path)
	}
	return openvino.FormatOf(path) != ""
}

// startsGraph reports whether a file starts like a TensorFlow graph: with a field of GraphDef and,
// if that field contains a node, a field of NodeDef. The check matters because OpenVINO, given any
// other file, may use unlimited memory.
func startsGraph(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return true // OpenVINO says why
	}
	defer f.Close() //nolint:errcheck // closing a file that was only read cannot lose data
	head := make([]byte, 64)
	read, _ := io.ReadFull(f, head) // a short file has a short head
	number, kind, tag := protowire.ConsumeTag(head[:read])
	if number != 1 || kind != protowire.BytesType {
		return number > 1 && number <= 5 && (kind == protowire.VarintType) == (number == 3)
	}
	length, size := protowire.ConsumeVarint(head[tag:read])
	if size < 0 || length == 0 {
		return size > 0
	}
	inside, kind, _ := protowire.ConsumeTag(head[tag+size : read])
	return inside > 0 && inside <= 7 && kind == protowire.BytesType
}

// withFiles is implemented by the models that [openvino.File] returns. Files lists the model's file
// first, then its weight files.
type withFiles interface{ Files() []string }

// DataFiles returns the files with the weights of the model at path. It returns none if the file is
// not a valid model.
func DataFiles(path string) []string {
	if openvino.FormatOf(path) != "" {
		return openvino.File(path).(withFiles).Files()[1:]
	}
	data, err := loaders.ONNX(path).ExternalData()
	if err != nil {
		return nil // a saved run, or an invalid file that will be reported later
	}
	return data
}
