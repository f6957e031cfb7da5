package trt

import "github.com/modelparity/modelparity/loaders"

// Support says which nodes of a model TensorRT's ONNX parser supports. It does not cover the
// builder: there may be no engine for a network that was parsed.
type Support struct {
	Model    string `json:"model"`
	TensorRT string `json:"tensorrt"`
	// Supported reports whether the parser supports the whole model.
	Supported bool `json:"supported"`
	// Refusals lists everything unsupported, in the parser's order, if the model was not divided.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Parts has the model's nodes, in graph order, if it was divided ([Partition]).
	Parts []Part `json:"parts,omitempty"`
}

// Refusal is something that the parser does not support.
type Refusal struct {
	Node     string `json:"node,omitempty"` // its name
	Operator string `json:"operator,omitempty"`
	Reason   string `json:"reason"`
	// Functions are the model's local functions that contain the node, the outermost first.
	Functions []string `json:"functions,omitempty"`
}

// Part is consecutive nodes of a model that the parser either all supports or does not support.
type Part struct {
	First     int  `json:"first"` // node, in graph order
	Last      int  `json:"last"`
	Supported bool `json:"supported"`
	// Refusals are the reasons for an unsupported part.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Whole says why the part cannot be a model of its own. Without that, it can neither be
	// searched for supported nodes nor saved.
	Whole string `json:"whole,omitempty"`

	Model *loaders.Model `json:"-"` // the part itself; nil if it cannot be one
}
