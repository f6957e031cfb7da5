package trt

import "encoding/json"

// Information describes an engine.
type Information struct {
	Name             string          `json:"name"`
	TensorRT         string          `json:"tensorrt"`
	Layers           int             `json:"layers"`
	Profiles         int             `json:"profiles"`
	AuxStreams       int             `json:"aux_streams"`
	Refittable       bool            `json:"refittable"`
	Stripped         bool            `json:"stripped"`          // it needs its ONNX model for a run
	DeviceMemory     int64           `json:"device_memory"`     // bytes for one inference; -1: unknown
	StreamableWeight int64           `json:"streamable_weight"` // bytes
	Tensors          []TensorInfo    `json:"tensors"`
	Inspector        json.RawMessage `json:"inspector"` // the answer of TensorRT's engine inspector
}

// TensorInfo describes an input or output of an engine.
type TensorInfo struct {
	Name     string    `json:"name"`
	Input    bool      `json:"input"`
	Type     string    `json:"type"`
	Shape    []int     `json:"shape"` // -1 for a dynamic dimension
	Format   string    `json:"format"`
	OnHost   bool      `json:"on_host,omitempty"`
	Profiles [][][]int `json:"profiles,omitempty"` // the min, opt and max shapes in each profile
}
