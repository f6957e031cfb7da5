package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// Message is the type of a protobuf message on the path from a model to its tensors.
type Message uint8

// The kinds of message that may contain tensors; TensorMessage is the tensor itself.
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

// members maps each kind of message to the kinds of message in its fields.
var members = map[Message]map[protowire.Number]Message{
	ModelMessage: {ModelGraph: GraphMessage, ModelFunction: FunctionMessage,
		modelTraining: TrainingMessage},
	GraphMessage: {GraphNode: NodeMessage, GraphInitializer: TensorMessage,
		GraphSparseInitializer: SparseTensorMessage},
	NodeMessage:     {NodeAttribute: AttributeMessage},
	FunctionMessage: {7: NodeMessage, functionAttribute: AttributeMessage},
	TrainingMessage: {1: GraphMessage, 2: GraphMessage},
	AttributeMessage: {AttributeTensor: TensorMessage, attributeTensors: TensorMessage,
		attributeGraph: GraphMessage, attributeGraphs: GraphMessage,
		attributeSparseTensor: SparseTensorMessage, attributeSparseTensors: SparseTensorMessage},
	SparseTensorMessage: {1: TensorMessage, 2: TensorMessage},
}

// Member returns the kind of message in the given field of m.
func (m Message) Member(number protowire.Number) Message { return members[m][number] }
