package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// Model is the structure of a ModelProto.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Opsets          []Opset
	HasGraph        bool
	Graph           Graph
	Functions       []Function
	External        []External // every tensor, at any depth, whose data is in another file
}

// Opset is one imported operator set. The domain "" is ONNX's own.
type Opset struct {
	Domain  string
	Version int64
}

// Graph is a GraphProto: the model's main graph, or the body of a node such as If.
type Graph struct {
	Name         string
	Nodes        Spans
	Initializers []Tensor
	Inputs       []Value
	Outputs      []Value
	Values       Spans  // value_info
	Quantization []Span // quantization_annotation
}

// Node is a NodeProto.
type Node struct {
	Name, Op, Domain string
	Inputs, Outputs  []string // "" means an omitted optional one
	Bodies           []Span   // graphs in its attributes
	Metadata         Span     // from the first entry of metadata_props to the last
	Span             Span
}

// Tensor is an initializer.
type Tensor struct {
	Name     string
	Type     int32 // TensorProto.DataType
	Dims     []int64
	Sparse   bool
	External bool
	Span     Span // position of the TensorProto or SparseTensorProto
	Data     Span // position of raw_data; empty if the data is elsewhere
}

// External describes a tensor whose data is in another file.
type External struct {
	Tensor   string
	Location string
	Offset   int64
	Length   int64 // -1 means up to the end of the file
	At       int64 // offset of the tensor in the model, tag included
	Span     Span  // position of the TensorProto
}

// Function is a FunctionProto: an operator that the model itself defines.
type Function struct {
	Name, Domain string
	Opsets       []Opset
	Nodes        Spans
	Span         Span
}

// Field numbers of ModelProto.
const (
	modelIRVersion       protowire.Number = 1
	modelProducerName    protowire.Number = 2
	modelProducerVersion protowire.Number = 3
	modelDomain          protowire.Number = 4
	modelVersion         protowire.Number = 5
	modelDocString       protowire.Number = 6
	modelGraph           protowire.Number = 7
	modelOpsetImport     protowire.Number = 8
	modelMetadata        protowire.Number = 14
	modelTraining        protowire.Number = 20
	modelFunctions       protowire.Number = 25
)

// functionAttribute is the field of FunctionProto with the attributes that have default values.
const functionAttribute protowire.Number = 11

// Scan reads the structure of a model. It merges a graph that is written in several pieces, as
// protobuf requires. If the data is not a protobuf message, the error is a [SyntaxError].
func Scan(src Source) (*Model, error) {
	s := &scanner{reader: newReader(src, windowSize), model: &Model{}}
	if err := s.fields(Span{0, src.Size()}, s.modelField); err != nil {
		return nil, err
	}
	return s.model, nil
}

// scanner reads a model and records its structure.
type scanner struct {
	*reader
	model   *Model
	shallow bool // whether to skip nodes' bodies, which were scanned before
}

func (s *scanner) modelField(f field) (err error) {
	m := s.model
	switch f.number {
	case modelIRVersion:
		m.IRVersion, err = f.integer("the IR version")
	case modelProducerName:
		m.ProducerName, err = s.text(f, "the producer's name")
	case modelProducerVersion:
		m.ProducerVersion, err = s.text(f, "the producer's version")
	case modelDomain:
		m.Domain, err = s.text(f, "the domain")
	case modelVersion:
		m.ModelVersion, err = f.integer("the model's version")
	case modelGraph:
		m.HasGraph = true
		return s.graphAt(f, &m.Graph, 0)
	case modelOpsetImport:
		m.Opsets, err = s.opset(m.Opsets, f)
	case modelTraining:
		return s.training(f)
	case modelFunctions:
		return s.function(f)
	case modelDocString, modelMetadata:
		err = f.wants(protowire.BytesType, "the model's description")
	}
	return err
}

// training reads the graphs of a TrainingInfoProto, but records only their external data.
func (s *scanner) training(f field) error {
	return s.inside(f, "training information", func(f field) error {
		if TrainingMessage.Member(f.number) != GraphMessage {
			return nil
		}
		return s.graphAt(f, &Graph{}, 0)
	})
}

// opset appends an OperatorSetIdProto.
func (s *scanner) opset(list []Opset, f field) ([]Opset, error) {
	var o Opset
	err := s.inside(f, "an opset import", func(f field) (err error) {
		switch f.number {
		case 1:
			o.Domain, err = s.text(f, "an opset's domain")
		case 2:
			o.Version, err = f.integer("an opset's version")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return add(s.reader, list, f, o)
}

// function appends a FunctionProto to the model's functions.
func (s *scanner) function(f field) error {
	span, err := f.message("a function")
	if err != nil {
		return err
	}
	fn := Function{Span: span}
	err = s.fields(span, func(f field) (err error) {
		switch f.number {
		case 1:
			fn.Name, err = s.text(f, "a function's name")
		case 7:
			err = s.node(&fn.Nodes, f, 0)
		case 9:
			fn.Opsets, err = s.opset(fn.Opsets, f)
		case 10:
			fn.Domain, err = s.text(f, "a function's domain")
		case functionAttribute:
			err = s.attribute(&Node{}, f, 0)
		}
		return err
	})
	if err == nil {
		s.model.Functions, err = add(s.reader, s.model.Functions, f, fn)
	}
	return err
}
