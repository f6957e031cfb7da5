package process

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// modelFile is a model file of another framework, such as PyTorch, and the program that runs it.
type modelFile struct {
	path string
	list option.List[settings]
}

// Model returns a model of another framework, such as PyTorch, from a file or folder. The options
// say which program runs the model. The program reports the model's inputs.
func Model(path string, options ...Option) backends.ModelEngine {
	return modelFile{path: path, list: kind.List(options...)}
}

// Open starts the program and makes it load the file. model must be the modelFile itself or an ONNX
// model exported from it; with an ONNX model, inputs and outputs have that model's names.
func (m modelFile) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	s, err := m.settings()
	if err != nil {
		return nil, err
	}
	if file, same := model.(modelFile); !same {
		if _, err := backends.ONNX(s.title(), model); err != nil {
			return nil, err
		}
	} else if file.path != m.path {
		return nil, fmt.Errorf("%v cannot run %s", m, file.Name())
	}
	return open(ctx, m, s, model)
}

// settings returns the values of the options, with File set to the model's file.
func (m modelFile) settings() (*settings, error) {
	s, err := checked(m.list)
	if err != nil {
		return nil, err
	}
	if s.File != "" && s.File != m.path {
		return nil, fmt.Errorf("process: the model is %s, but process.File names %s; remove the option",
			m.path, s.File)
	}
	s.File = m.path
	return s, nil
}

// Run starts the program, runs the model once over the inputs, and ends the program.
func (m modelFile) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.RunIn(ctx, m, m, inputs)
}

// Path returns the path that was passed to [Model].
func (m modelFile) Path() string { return m.path }

// Name returns the file's base name.
func (m modelFile) Name() string { return filepath.Base(m.path) }

// Inputs starts the program and returns the inputs that the program reports.
func (m modelFile) Inputs() ([]loaders.Value, error) {
	s, err := m.settings()
	if err != nil {
		return nil, err
	}
	b, err := open(context.Background(), m, s, m)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if b.declared == nil {
		return nil, fmt.Errorf("%s: %s: the program declares no inputs, so none can be generated; "+
			"load saved inputs with fixtures.Load, or pass the ONNX model exported from this file",
			s.title(), m.Name())
	}
	return b.declared, nil
}

// Text returns the text that identifies the engine; see [backends.Engine].
func (m modelFile) Text() string { return m.list.TextOf("process model", m.path) }

// String returns "process model", the file's name and the options: "process model net.pt2 PyTorch".
func (m modelFile) String() string { return m.list.StringOf("process model " + m.Name()) }

// GoString returns the engine as Go source: process.Model("net.pt2", process.PyTorch()).
func (m modelFile) GoString() string { return m.list.Call("Model", strconv.Quote(m.path)) }

// value is the protocol's description of an input.
type value struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Shape *[]any `json:"shape,omitempty"` // sizes, names and nulls; nil if unknown
}

// valueOf converts an input that a model declares. Of a sequence or a map, it keeps only the name.
func valueOf(v loaders.Value) value {
	if v.Kind != loaders.Tensor {
		return value{Name: v.Name}
	}
	made := value{Name: v.Name, Type: v.Type.String()}
	if !v.HasShape {
		return made
	}
	shape := make([]any, len(v.Dims))
	for i, d := range v.Dims {
		switch {
		case !d.Dynamic():
			shape[i] = d.Size
		case d.Symbol != "":
			shape[i] = d.Symbol
		}
	}
	made.Shape = &shape
	return made
}

// valuesOf converts the inputs that a program reports.
func valuesOf(inputs []value) ([]loaders.Value, error) {
	values := make([]loaders.Value, 0, len(inputs))
	for _, in := range inputs {
		elem, err := tensor.ParseElementType(in.Type)
		if err != nil || in.Name == "" {
			return nil, fmt.Errorf("the program's description: input %q has unknown element type "+
				"%q", in.Name, in.Type)
		}
		v := loaders.Value{Name: in.Name, Kind: loaders.Tensor, Type: elem,
			TypeName: "tensor(" + elem.String() + ")"}
		if in.Shape != nil {
			v.HasShape = true
			for _, d := range *in.Shape {
				dim, ok := dimOf(d)
				if !ok {
					return nil, fmt.Errorf("the program's description: input %q has the invalid dimension %v",
						in.Name, d)
				}
				v.Dims = append(v.Dims, dim)
			}
		}
		values = append(values, v)
	}
	return values, nil
}

// dimOf converts a dimension of the protocol: a size, a name, or null for an unknown size.
func dimOf(d any) (loaders.Dim, bool) {
	switch d := d.(type) {
	case float64:
		return loaders.Dim{Size: int(d)}, d >= 0 && d == float64(int(d))
	case string:
		return loaders.Dim{Size: -1, Symbol: d}, true
	}
	return loaders.Dim{Size: -1}, d == nil
}
