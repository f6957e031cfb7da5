package openvino

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is a format that one of OpenVINO's other frontends reads.
type format struct {
	title      string
	extensions []string
	// weights are how the names of the files next to it go on that hold the weights, as patterns of
	// [path.Match] in lower case.
	weights []string
}

var formats = []format{
	{"OpenVINO's IR", []string{".xml"}, []string{".bin"}},
	{"a TensorFlow Lite model", []string{".tflite"}, nil},
	{"a TensorFlow graph", []string{".pb", ".pbtxt"}, nil},
	{"a TensorFlow graph", []string{".meta"}, []string{".index", ".data-*"}},
	{"a PaddlePaddle program", []string{".pdmodel", ".json"}, []string{".pdiparams"}},
}

// savedModel is the file that makes a folder a saved model of TensorFlow's.
const savedModel = "saved_model.pb"

// FormatOf names the format, other than ONNX, that a path has by its extension: "OpenVINO's IR", "a
// TensorFlow Lite model". It is "" for a path that does not look like a model for [File]. A folder
// is one where it holds a saved model of TensorFlow's.
//
// Extensions that others use as well, .pb and .json, say nothing about what is in the file.
func FormatOf(path string) string {
	if f, ok := formatOf(path); ok {
		return f.title
	}
	if info, err := os.Stat(filepath.Join(path, savedModel)); err == nil && info.Mode().IsRegular() {
		return "a saved model of TensorFlow"
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
