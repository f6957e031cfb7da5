package loaders

import (
	"sync"

	"github.com/modelparity/modelparity/internal/onnxfile"
)

// Model is one ONNX model. Create it with [ONNX] or [ONNXBytes]; both are cheap and cannot fail, so
// call them in the body of a Describe if you like. The first method that needs the file reads and
// scans it once; if that fails, every method returns the same error.
//
// Scanning does not decode weights, and a file above 64 MiB is not kept in memory.
//
// A Model is safe for concurrent use.
type Model struct {
	file  *onnxfile.File
	order func() ([]string, error) // see [Model.GraphOrder]
}

// ONNX returns the ONNX model at path. The file is read later, when it is first needed.
func ONNX(path string) *Model { return FromFile(onnxfile.New(path)) }

// ONNXBytes returns the ONNX model encoded in data. Messages refer to the model by name. The caller
// must not modify data afterwards. Such a model cannot read external data.
func ONNXBytes(name string, data []byte) *Model {
	return FromFile(onnxfile.FromBytes(name, data))
}

// ONNXWithData returns the ONNX model at path with its external data in a different folder.
// References must not lead out of that folder.
func ONNXWithData(path, folder string) *Model {
	return FromFile(onnxfile.NewWithData(path, folder))
}

// ONNXStructure returns the ONNX model at path, for methods that do not read weights: its external
// data may be missing. If it is saved, the new file refers to the same data.
func ONNXStructure(path string) *Model { return FromFile(onnxfile.NewStructure(path)) }

// FromFile returns the model in a file. It is for packages of this module that change models.
func FromFile(file *onnxfile.File) *Model {
	m := &Model{file: file}
	m.order = sync.OnceValues(m.computeOrder)
	return m
}

// File returns the model's file. It is for packages of this module that change models.
func (m *Model) File() *onnxfile.File {
	if m == nil {
		return nil
	}
	return m.file
}

// Name returns the file's base name, or the name passed to [ONNXBytes].
func (m *Model) Name() string {
	if m.File() == nil {
		return ""
	}
	return m.file.Name
}

// GomegaString makes Gomega print the model's name instead of its bytes.
func (m *Model) GomegaString() string { return "model " + m.Name() }

// Path returns the path of the file that contains exactly this model, or "" for a model in memory
// or with outputs that [Model.Mark] added.
func (m *Model) Path() string { return m.file.Opened() }

// Dir returns the folder that paths of external data are relative to, or "" for a model in memory.
func (m *Model) Dir() string { return m.file.Dir }

// Load reads and scans the model now. All other methods call it. Repeated calls cost nothing and
// return the same error. Errors name the file and the byte offset. It is an error if the file is
// missing, empty, truncated, in a different format or without a graph, or if external data is
// missing, too short or outside the model's folder. It is also an error if m is nil, for example
// because its variable is not yet set while the spec tree is built.
func (m *Model) Load() error { return m.File().Load() }

// Bytes returns the content of the model's file; do not modify it. A file above 64 MiB is read
// again on every call; to write such a model, use [Model.Save], which does not keep the whole model
// in memory.
func (m *Model) Bytes() ([]byte, error) {
	return m.File().Bytes()
}

// Size returns the length of [Model.Bytes]. External data does not count.
func (m *Model) Size() (int64, error) {
	return m.File().Size()
}

// ExternalData returns the paths of the files that contain the model's external weights, each path
// once, in the order in which the model refers to them. The paths start with [Model.Dir]. But if
// the model's path is a symbolic link and a data file exists only next to the link's target, the
// path of the data file starts with the target's folder. For a model in memory, paths are relative.
func (m *Model) ExternalData() ([]string, error) {
	return m.File().ExternalData()
}

// SHA256 returns the model's hexadecimal SHA-256, computed once. For a model without external data,
// it equals the output of sha256sum. Otherwise it also covers the name and bytes of each file of
// [Model.ExternalData]:
//
//	{ sha256sum <model.onnx; sha256sum weights.bin; } | sha256sum
//
// It is an error if a model in memory has external data.
func (m *Model) SHA256() (string, error) {
	return m.File().SHA256()
}

// Inputs returns the graph's declared inputs, except those with a default value; see
// [Model.OverridableInitializers].
func (m *Model) Inputs() ([]Value, error) { return m.inputs(false) }

// OverridableInitializers returns the graph's inputs that have a default value, which is an
// initializer. It returns none for a model with an IR version below 4: such a model had to list
// every initializer as an input, even if callers were not meant to override it.
func (m *Model) OverridableInitializers() ([]Value, error) {
	if err := m.Load(); err != nil || m.file.Structure.IRVersion < 4 {
		return nil, err
	}
	return m.inputs(true)
}

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

// Outputs returns the graph's declared outputs.
func (m *Model) Outputs() ([]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	return valuesOf(m.file.Structure.Graph.Outputs), nil
}

// Opset is an operator set that the model imports. The domain "" is ONNX's own.
type Opset struct {
	Domain  string `json:"domain"`
	Version int64  `json:"version"`
}

// Head is the header of a model: versions, opset imports and producer.
type Head struct {
	IRVersion       int64   `json:"ir_version"`
	Opsets          []Opset `json:"opsets"`
	ProducerName    string  `json:"producer_name,omitempty"`
	ProducerVersion string  `json:"producer_version,omitempty"`
	Graph           string  `json:"graph,omitempty"` // the graph's name
}

// Head returns the model's versions, opset imports and producer.
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
