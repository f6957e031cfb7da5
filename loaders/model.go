package loaders

import (
	"io"
	"sync"

	"github.com/modelparity/modelparity/internal/onnxfile"
)

// Model is one ONNX model. Make one with [ONNX] or [ONNXBytes]; both are cheap and cannot fail, so
// that a model may be named in the body of a Describe. The file is read and scanned once, at the
// first question, and every question gives the same error if that fails.
//
// Weights are never decoded, and a file above 64 MiB is not kept in memory: only what it declares.
//
// A Model is safe for concurrent use.
type Model struct {
	file  *onnxfile.File
	order func() ([]string, error) // see [Model.GraphOrder]
}

// ONNX names the ONNX model at path.
func ONNX(path string) *Model { return FromFile(onnxfile.New(path)) }

// ONNXBytes is the ONNX model that data holds; name stands for it in messages. The model takes
// data over: the caller must not write to it afterwards. External data is not reachable from it.
func ONNXBytes(name string, data []byte) *Model {
	return FromFile(onnxfile.FromBytes(name, data))
}

// ONNXWithData names the ONNX model at path whose external data lies in another folder. As in the
// model's own, it may not lead out of that folder.
func ONNXWithData(path, folder string) *Model {
	return FromFile(onnxfile.NewWithData(path, folder))
}

// ONNXStructure names the ONNX model at path without its external data, which may be missing: what
// needs no weights can be asked of it. Saved, it refers to the data as before.
func ONNXStructure(path string) *Model { return FromFile(onnxfile.NewStructure(path)) }

// FromFile is the model of a file, for packages of this module that change models.
func FromFile(file *onnxfile.File) *Model {
	m := &Model{file: file}
	m.order = sync.OnceValues(m.computeOrder)
	return m
}

// File is the model's file, for packages of this module that change models.
func (m *Model) File() *onnxfile.File {
	if m == nil {
		return nil
	}
	return m.file
}

// Name is the file's base name, or the name that was given to [ONNXBytes].
func (m *Model) Name() string {
	if m.File() == nil {
		return ""
	}
	return m.file.Name
}

// GomegaString is what Gomega prints for a model, in place of its bytes: its name.
func (m *Model) GomegaString() string { return "model " + m.Name() }

// Path is where the model was read from, and "" for a model that is not a file as it stands: one
// in memory, or a marked one.
func (m *Model) Path() string { return m.file.Path }

// Dir is the folder that external data is relative to, and "" for a model in memory.
func (m *Model) Dir() string { return m.file.Dir }

// Load reads and scans the model now. Every other question calls it; calling it again costs
// nothing and gives the same error. Errors name the file and the byte, and say what is wrong: a
// file that is missing, empty, truncated, of another format, without a graph, or whose external
// data is missing, too short, or outside the model's folder. A nil model, as a variable that is
// set only after the spec tree is built, is an error too.
func (m *Model) Load() error { return m.File().Load() }

// Bytes is the model file's bytes; do not write to them. Each call reads a file above 64 MiB
// again: [Model.WriteTo] needs no memory for it.
func (m *Model) Bytes() ([]byte, error) {
	return m.File().Bytes()
}

// Size is the number of bytes that [Model.Bytes] gives, without external data.
func (m *Model) Size() (int64, error) {
	return m.File().Size()
}

// WriteTo writes the model's bytes, without external data, to w; see io.WriterTo.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	return m.File().WriteTo(w)
}

// ExternalData is the files that hold weights outside the model, in the order in which it names
// them, each once. They are joined to [Model.Dir] or, where nothing is there, to the folder of the
// file that the model is a link to; for a model in memory they are relative.
func (m *Model) ExternalData() ([]string, error) {
	return m.File().ExternalData()
}

// SHA256 is the model's hexadecimal SHA-256, computed once. Without external data it is what
// sha256sum prints for the file. Otherwise it covers the name, length and bytes of each file that
// [Model.ExternalData] names, too:
//
//	{ sha256sum <model.onnx; sha256sum weights.bin; } | sha256sum
//
// A model in memory that has external data has no such sum: an error.
func (m *Model) SHA256() (string, error) {
	return m.File().SHA256()
}

// Inputs is the graph's inputs, as declared, without those that have an initializer: a model can
// run without the latter, see [Model.OverridableInitializers].
func (m *Model) Inputs() ([]Value, error) { return m.inputs(false) }

// OverridableInitializers is the graph's inputs that have an initializer for a default value.
func (m *Model) OverridableInitializers() ([]Value, error) { return m.inputs(true) }

func (m *Model) inputs(initialized bool) ([]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	graph := &m.file.Structure.Graph
	defaults := make(map[string]bool, len(graph.Initializers))
	for i := range graph.Initializers {
		defaults[graph.Initializers[i].Name] = true
	}
	var values []Value
	for _, v := range graph.Inputs {
		if defaults[v.Name] == initialized {
			values = append(values, valueOf(v))
		}
	}
	return values, nil
}

// Outputs is the graph's outputs, as declared.
func (m *Model) Outputs() ([]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	return valuesOf(m.file.Structure.Graph.Outputs), nil
}

// Opset is an operator set that the model imports; the domain "" is ONNX's own.
type Opset struct {
	Domain  string `json:"domain"`
	Version int64  `json:"version"`
}

// Head is what a model says about itself.
type Head struct {
	IRVersion       int64   `json:"ir_version"`
	Opsets          []Opset `json:"opsets"`
	ProducerName    string  `json:"producer_name,omitempty"`
	ProducerVersion string  `json:"producer_version,omitempty"`
	Graph           string  `json:"graph,omitempty"` // the graph's name
}

// Head is the model's versions, opset imports and producer.
func (m *Model) Head() (Head, error) {
	if err := m.Load(); err != nil {
		return Head{}, err
	}
	s := m.file.Structure
	head := Head{IRVersion: s.IRVersion, ProducerName: s.ProducerName,
		ProducerVersion: s.ProducerVersion, Graph: s.Graph.Name}
	for _, o := range s.Opsets {
		head.Opsets = append(head.Opsets, Opset(o))
	}
	return head, nil
}
