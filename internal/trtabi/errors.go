package trtabi

import "fmt"

// Absent is the error for a feature that the opened version of TensorRT lacks.
type Absent struct {
	What    string // the method or enumerator
	Version Version
	Since   int // the first minor version of 10 that has it
	Removed bool
}

func (e *Absent) Error() string {
	if e.Removed {
		return fmt.Sprintf("TensorRT %v has no %s: TensorRT 11 removed it", e.Version, e.What)
	}
	return fmt.Sprintf("TensorRT %v has no %s: it was added in 10.%d", e.Version, e.What, e.Since)
}

// ParserError is one error of the ONNX parser.
type ParserError struct {
	Text     string
	Index    int    // the node's index in the model, or negative
	Node     string // the node's name, or ""
	Operator string
	// Functions are the local functions that contain the node, outermost first.
	Functions []string
	More      int // number of further errors
}

func (e *ParserError) Error() string {
	text := "the ONNX parser rejects the model: " + e.Text
	if e.Operator != "" {
		text += fmt.Sprintf(" (node %q, operator %s)", e.Node, e.Operator)
	}
	if e.More > 0 {
		text += fmt.Sprintf(", and %d more", e.More)
	}
	return text
}
