package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// Model is the structure of a ModelProto.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
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

// Graph is a GraphProto: the model's main graph, or the body of a node such as If. For nodes and
// value_infos, it contains only the positions in the file. A [Reader] reads them when they are
// needed.
type Graph struct {
	Name         string
	Nodes        []Span
	Initializers []Tensor
	Inputs       []Value
	Outputs      []Value
	Values       []Span // value_info
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

// Field returns the field of GraphProto that contains the initializer.
func (t *Tensor) Field() protowire.Number {
	if t.Sparse {
		return GraphSparseInitializer
	}
	return GraphInitializer
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
	Nodes        []Span
	Span         Span
}

// Scan reads the structure of a model. It merges a graph that is written in several pieces, as
// protobuf requires. If the data is not a protobuf message, the error is a [SyntaxError].
func Scan(src Source) (*Model, error) {
	r := &Reader{src: src, budget: src.Size() + src.Size()/2 + min(room, src.Size()*allowance+64<<10)}
	m := &Model{}
	for f := range r.Fields(Span{0, src.Size()}) {
		switch f.Number {
		case ModelIRVersion:
			m.IRVersion = r.integer(f, "the IR version")
		case modelProducerName:
			m.ProducerName = r.text(f, "the producer's name")
		case modelProducerVersion:
			m.ProducerVersion = r.text(f, "the producer's version")
		case modelVersion:
			r.integer(f, "the model's version")
		case ModelGraph:
			m.HasGraph = true
			r.graph(f, &m.Graph, 0)
		case ModelOpset:
			m.Opsets = grow(m.Opsets, r.opset(f))
		case modelTraining: // only its external data is recorded
			for f := range r.inside(f, "training information") {
				if TrainingMessage.Member(f.Number) == GraphMessage {
					r.graph(f, &Graph{}, 0)
				}
			}
		case ModelFunction:
			m.Functions = grow(m.Functions, r.function(f))
		case ModelDoc, modelDomain, modelMetadata:
			r.wants(f, protowire.BytesType, "the model's description")
		}
	}
	m.External = r.external
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// opset reads an OperatorSetIdProto.
func (r *Reader) opset(f Field) (o Opset) {
	for f := range r.inside(f, "an opset import") {
		switch f.Number {
		case 1:
			o.Domain = r.text(f, "an opset's domain")
		case 2:
			o.Version = r.integer(f, "an opset's version")
		}
	}
	r.charge(f.Whole.Start, size[Opset]())
	return o
}

// function reads a FunctionProto.
func (r *Reader) function(f Field) Function {
	r.charge(f.Whole.Start, size[Function]())
	fn := Function{Span: f.Body}
	for f := range r.inside(f, "a function") {
		switch f.Number {
		case 1:
			fn.Name = r.text(f, "a function's name")
		case 7:
			r.node(&fn.Nodes, f, 0)
		case 10:
			fn.Domain = r.text(f, "a function's domain")
		case functionAttribute:
			r.attribute(&Node{}, f, 0)
		}
	}
	return fn
}
