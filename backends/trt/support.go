package trt

import "github.com/modelparity/modelparity/loaders"

// Support says which nodes of a model TensorRT's ONNX parser supports. The builder may still fail
// to build an engine from a network that the parser accepts.
type Support struct {
	Model    string `json:"model"`
	TensorRT string `json:"tensorrt"`
	// Supported reports whether the parser supports the whole model.
	Supported bool `json:"supported"`
	// Refusals lists everything that is not supported, in the parser's order. It is empty if the
	// model was partitioned.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Parts lists the parts of the model, in graph order, if the model was partitioned ([Partition]).
	Parts []Part `json:"parts,omitempty"`
}

// Refusal describes something in a model that the parser does not support.
type Refusal struct {
	Node     string `json:"node,omitempty"` // the node's name
	Operator string `json:"operator,omitempty"`
	Reason   string `json:"reason"`
	// Functions are the model's local functions that contain the node, the outermost first.
	Functions []string `json:"functions,omitempty"`
}

// Part is a sequence of consecutive nodes, which the parser supports or rejects as a whole.
type Part struct {
	First     int  `json:"first"` // index of the first node, in graph order
	Last      int  `json:"last"`
	Supported bool `json:"supported"`
	// Refusals lists the reasons why the part is not supported.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Whole is "" if the part can be cut out as a model. Otherwise it says why not; such a part can
	// neither be searched for supported nodes nor saved.
	Whole string `json:"whole,omitempty"`

	Model *loaders.Model `json:"-"` // the part as a model; nil if it cannot be one
}
