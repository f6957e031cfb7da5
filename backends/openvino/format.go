package openvino

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is a file format that one of OpenVINO's frontends other than ONNX reads.
type format struct {
	title      string
	extensions []string
	weights    string // the extension of the file of weights next to the model, or ""
}

var formats = []format{
	{"OpenVINO's IR", []string{".xml"}, ".bin"},
	{"a TensorFlow Lite model", []string{".tflite"}, ""},
	{"a TensorFlow graph", []string{".pb", ".pbtxt"}, ""},
	{"a PaddlePaddle program", []string{".pdmodel", ".json"}, ".pdiparams"},
}

// savedModel is the name of the file by which a folder is recognised as a TensorFlow saved model.
const savedModel = "saved_model.pb"

// FormatOf returns the name of the non-ONNX format that a path's extension implies: "OpenVINO's
// IR", "a TensorFlow Lite model". It returns "" for a path that does not look like a model for
// [File]. For a folder, it checks whether the folder contains a TensorFlow saved model.
//
// The extensions .pb and .json are also used for other files, so they do not guarantee the format.
func FormatOf(path string) string {
	if f, ok := formatOf(path); ok {
		return f.title
	}
	if info, err := os.Stat(filepath.Join(path, savedModel)); err == nil && info.Mode().IsRegular() {
		return "a TensorFlow SavedModel"
	}
	return ""
}

func formatOf(path string) (format, bool) {
	extension := strings.ToLower(filepath.Ext(path))
	i := slices.IndexFunc(formats, func(f format) bool {
		return slices.Contains(f.extensions, extension)
	})
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}
