package loaders

import (
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/internal/modelfiles"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Model is one ONNX model. Make one with [ONNX] or [ONNXBytes]; both are cheap and cannot fail, so
// that a model may be named in the body of a Describe. The file is read and scanned once, at the
// first question, and every question gives the same error if that fails.
//
// Weights are never decoded, and a file above 64 MiB is not kept in memory: only what it declares.
//
// A Model is safe for concurrent use.
type Model struct {
	path string // "" for a model that is not a file
	dir  string // where external data is; "" for a model in memory
	name string

	content content
	folders modelfiles.Folders // of external data, once loaded
	dataIn  string             // the folder of external data, where that is not the model's own
	ignored bool               // external data

	unmarked *Model // what [Model.Mark] put bytes behind, or nil

	once      sync.Once
	structure *onnxwire.Model
	err       error

	order  func() ([]string, error) // see [Model.GraphOrder]
	digest func() (string, error)
	sum    func() (hash.Hash, error) // of the bytes alone
}

// ONNX names the ONNX model at path.
func ONNX(path string) *Model {
	return newModel(&Model{path: path, dir: filepath.Dir(path), name: filepath.Base(path),
		content: &file{path: path}})
}

// ONNXBytes is the ONNX model that data holds; name stands for it in messages. The model takes
// data over: the caller must not write to it afterwards. External data is not reachable from it.
func ONNXBytes(name string, data []byte) *Model {
	return newModel(&Model{name: name, content: memory(data)})
}

func newModel(m *Model) *Model {
	m.order = sync.OnceValues(m.computeOrder)
	m.digest, m.sum = sync.OnceValues(m.computeSHA256), sync.OnceValues(m.computeSum)
	return m
}

// Name is the file's base name, or the name that was given to [ONNXBytes].
func (m *Model) Name() string {
	if m == nil {
		return ""
	}
	return m.name
}

// GomegaString is what Gomega prints for a model, in place of its bytes: its name.
func (m *Model) GomegaString() string { return "model " + m.Name() }

// Path is where the model was read from, and "" for a model that is not a file as it stands: one
// in memory, or a marked one.
func (m *Model) Path() string { return m.path }

// Dir is the folder that external data is relative to, and "" for a model in memory.
func (m *Model) Dir() string { return m.dir }

// Load reads and scans the model now. Every other question calls it; calling it again costs
// nothing and gives the same error. Errors name the file and the byte, and say what is wrong: a
// file that is missing, empty, truncated, of another format, without a graph, or whose external
// data is missing, too short, or outside the model's folder. A nil model, as a variable that is
// set only after the spec tree is built, is an error too.
func (m *Model) Load() error {
	if m == nil || m.content == nil {
		return errors.New("loaders: no model; make one with loaders.ONNX(path)")
	}
	m.once.Do(func() {
		if m.structure, m.err = m.load(); m.err != nil {
			m.err = m.located(m.err)
		}
	})
	return m.err
}

func (m *Model) load() (*onnxwire.Model, error) {
	source, done, err := m.content.open()
	if err != nil {
		return nil, err
	}
	defer done()
	structure, err := scan(source)
	if err != nil {
		return nil, err
	}
	if len(structure.External) > 0 && m.dir != "" && !m.ignored && m.folders.Named == "" {
		if m.dataIn != "" {
			m.folders, err = modelfiles.FoldersIn(m.dataIn)
		} else {
			m.folders, err = modelfiles.FoldersOf(m.path)
		}
		if err != nil {
			return nil, err
		}
	}
	return structure, m.checkExternalData(structure.External)
}

// located says which model an error is about.
func (m *Model) located(err error) error {
	if m.path != "" {
		return fmt.Errorf("loaders: %s: %w", m.path, err)
	}
	return fmt.Errorf("loaders: model %s: %w", m.name, err)
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
	graph := &m.structure.Graph
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
	return valuesOf(m.structure.Graph.Outputs), nil
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
	s := m.structure
	head := Head{IRVersion: s.IRVersion, ProducerName: s.ProducerName,
		ProducerVersion: s.ProducerVersion, Graph: s.Graph.Name}
	for _, o := range s.Opsets {
		head.Opsets = append(head.Opsets, Opset(o))
	}
	return head, nil
}
