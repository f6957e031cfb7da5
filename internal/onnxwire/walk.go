package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// Field is one field of a message: Whole is its span including the tag, and Body is the span of its
// value.
type Field struct {
	Number      protowire.Number
	Whole, Body Span
}

// Walk calls visit for each field of the message at span.
func Walk(src Source, span Span, visit func(Field) error) error {
	return newReader(src, span.Len()).fields(span, func(f field) error {
		return visit(Field{Number: f.number, Whole: Span{f.offset, f.span.End}, Body: f.span})
	})
}

// Message is a kind of message on the path from a model to its tensors.
type Message uint8

// The kinds of message that may contain tensors, and the kind of tensors themselves.
const (
	OtherMessage Message = iota
	ModelMessage
	GraphMessage
	NodeMessage
	AttributeMessage
	FunctionMessage
	TrainingMessage
	SparseTensorMessage
	TensorMessage
)

// members gives, for each kind of message, the kinds of message in its fields.
var members = map[Message]map[protowire.Number]Message{
	ModelMessage: {modelGraph: GraphMessage, modelFunctions: FunctionMessage,
		modelTraining: TrainingMessage},
	GraphMessage: {graphNode: NodeMessage, graphInitializer: TensorMessage,
		graphSparseInitializer: SparseTensorMessage},
	NodeMessage:     {nodeAttribute: AttributeMessage},
	FunctionMessage: {7: NodeMessage, functionAttribute: AttributeMessage},
	TrainingMessage: {1: GraphMessage, 2: GraphMessage},
	AttributeMessage: {attributeTensor: TensorMessage, attributeTensors: TensorMessage,
		attributeGraph: GraphMessage, attributeGraphs: GraphMessage,
		attributeSparseTensor: SparseTensorMessage, attributeSparseTensors: SparseTensorMessage},
	SparseTensorMessage: {1: TensorMessage, 2: TensorMessage},
}

// Member returns the kind of message in the given field of m.
func (m Message) Member(number protowire.Number) Message { return members[m][number] }

// The fields of a tensor that say where its data is.
const (
	TensorRawData      = tensorRawData
	TensorExternalData = tensorExternalData
	TensorDataLocation = tensorDataLocation
)

// ExternalLocation is the value of TensorDataLocation if the data is in another file.
const ExternalLocation = 1
