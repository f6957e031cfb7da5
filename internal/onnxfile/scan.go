package onnxfile

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// scan reads a model's structure. If the file is in a different format that scan recognizes, the
// error names that format.
func scan(source onnxwire.Source) (*onnxwire.Model, error) {
	if source.Size() == 0 {
		return nil, errors.New("the model is empty")
	}
	model, err := onnxwire.Scan(source)
	if format := formatOf(source); format != "" && (err != nil || !model.HasGraph) {
		return nil, fmt.Errorf("not an ONNX model but %s", format)
	}
	var syntax *onnxwire.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("not an ONNX model, or a damaged one: %w", err)
	case err != nil:
		return nil, err
	case !model.HasGraph:
		return nil, fmt.Errorf("not an ONNX model: there is no graph in its %d bytes", source.Size())
	}
	return model, nil
}

// signatures lists the first bytes of files that are often mistaken for models.
var signatures = []struct{ start, format string }{
	{"version https://git-lfs", "a Git LFS pointer; run: git lfs pull"},
	{"\x89PNG", "a PNG image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"PK\x03\x04", "a zip archive, such as an .npz file or a PyTorch model"},
	{"\x1f\x8b", "gzip data; unpack it first"},
	{"\x93NUMPY", "a NumPy array"},
	{"\x80\x02", "a Python pickle"},
	{"ftrt", "a TensorRT engine"},
	{"\x89HDF", "an HDF5 file"},
	{"GGUF", "a GGUF file"},
	{"<", "XML or HTML"},
	{"{", "JSON"},
	{"[", "JSON"},
}

// formatOf returns the format of a file that is not an ONNX model, as recognized by its first
// bytes, or "".
func formatOf(source onnxwire.Source) string {
	head := make([]byte, 64)
	n, _ := source.ReadAt(head, 0) // the scan has already reported a failed read
	head = head[:n]
	for _, s := range signatures {
		if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(s.start)) {
			return s.format
		}
	}
	switch {
	case n >= 8 && string(head[4:8]) == "ORTM":
		return "a model in ONNX Runtime's own format; use the .onnx file that it was converted from"
	case n >= 8 && string(head[4:8]) == "TFL3":
		return "a TensorFlow Lite model"
	}
	return ""
}
