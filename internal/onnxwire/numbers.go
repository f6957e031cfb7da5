package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// Field numbers of ModelProto.
const (
	ModelIRVersion       protowire.Number = 1
	modelProducerName    protowire.Number = 2
	modelProducerVersion protowire.Number = 3
	modelDomain          protowire.Number = 4
	modelVersion         protowire.Number = 5
	ModelDoc             protowire.Number = 6
	ModelGraph           protowire.Number = 7
	ModelOpset           protowire.Number = 8
	modelMetadata        protowire.Number = 14
	modelTraining        protowire.Number = 20
	ModelFunction        protowire.Number = 25
)

// functionAttribute is the field of FunctionProto with the attributes that have default values.
const functionAttribute protowire.Number = 11

// Field numbers of GraphProto.
const (
	GraphNode              protowire.Number = 1
	GraphName              protowire.Number = 2
	GraphInitializer       protowire.Number = 5
	GraphInput             protowire.Number = 11
	GraphOutput            protowire.Number = 12
	GraphValueInfo         protowire.Number = 13
	GraphSparseInitializer protowire.Number = 15
)

// Field numbers of NodeProto.
const (
	NodeInput     protowire.Number = 1
	NodeOutput    protowire.Number = 2
	NodeName      protowire.Number = 3
	NodeOp        protowire.Number = 4
	NodeAttribute protowire.Number = 5
	NodeDomain    protowire.Number = 7
	nodeMetadata  protowire.Number = 9
)

// Field numbers of AttributeProto.
const (
	AttributeName          protowire.Number = 1
	AttributeFloat         protowire.Number = 2
	AttributeInt           protowire.Number = 3
	AttributeString        protowire.Number = 4
	AttributeTensor        protowire.Number = 5
	attributeGraph         protowire.Number = 6
	AttributeFloats        protowire.Number = 7
	AttributeInts          protowire.Number = 8
	AttributeStrings       protowire.Number = 9
	attributeTensors       protowire.Number = 10
	attributeGraphs        protowire.Number = 11
	attributeType          protowire.Number = 14 // tp, a TypeProto
	attributeTypes         protowire.Number = 15
	AttributeKind          protowire.Number = 20 // type, which of the values is set
	attributeReference     protowire.Number = 21
	attributeSparseTensor  protowire.Number = 22
	attributeSparseTensors protowire.Number = 23
)

// Field numbers of TensorProto.
const (
	TensorDims         protowire.Number = 1
	TensorType         protowire.Number = 2
	TensorName         protowire.Number = 8
	TensorRawData      protowire.Number = 9
	TensorDoc          protowire.Number = 12
	TensorExternalData protowire.Number = 13
	TensorDataLocation protowire.Number = 14
)

// ExternalLocation is the value of TensorDataLocation if the data is in another file.
const ExternalLocation = 1
