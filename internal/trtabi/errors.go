package trtabi

import "fmt"

// Absent says that the TensorRT in use lacks something.
type Absent struct {
	What    string // the method or enumerator
	Version Version
	Since   int // 10.x; 0 where it was there from 10.0
	Removed bool
}

func (e *Absent) Error() string {
	if e.Removed {
		return fmt.Sprintf("TensorRT %v has no %s: TensorRT 11 removed it", e.Version, e.What)
	}
	return fmt.Sprintf("TensorRT %v has no %s: it came with 10.%d", e.Version, e.What, e.Since)
}

// ParserError is one thing that the ONNX parser does not take.
type ParserError struct {
	Code     int // nvonnxparser::ErrorCode; 5 to 8 are unsupported nodes
	Text     string
	Index    int    // the node's place in the model, negative where it is not about a node
	Node     string // the node's name, "" where it is not about a node
	Operator string
	// Functions are the local functions that the node lies in, the outermost first.
	Functions []string
	More      int // how many more errors there are
}

func (e *ParserError) Error() string {
	text := "the ONNX parser refuses the model: " + e.Text
	if e.Operator != "" {
		text += fmt.Sprintf(" (node %q, operator %s)", e.Node, e.Operator)
	}
	if e.More > 0 {
		text += fmt.Sprintf(", and %d more", e.More)
	}
	return text
}
