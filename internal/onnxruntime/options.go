package onnxruntime

// Options are what a session is made with.
type Options struct {
	Optimization int // 0 none, 1 basic, 2 extended, 99 all
	IntraThreads int // threads within one operator; 0 lets the library choose
	InterThreads int // operators at once; 0 lets the library choose
	Providers    []Provider
	Config       []Setting // session configuration entries, in order
	Data         string    // the folder of the external data of a model in memory; "" is none
	Record       bool      // which provider takes which nodes, for [Session.Assignment]
	CustomOps    []string  // libraries of custom operators, by absolute path
	Initializers []Named   // those that the model refers to as external data, in place
	Written      string    // where the model is written as the session has it; "" is nowhere
	Varying      bool      // shapes change from run to run: keep no memory plan for each
	Log          *Log      // where the session's log goes; nil is nowhere
}

// Log takes the lines of a session's log.
type Log struct {
	From  Severity // lines below it are left out
	Write func(Line)
}

// Line is one line of the log.
type Line struct {
	Severity                 Severity
	Category, Place, Message string // Place is in ONNX Runtime's own source
}

// Severity is how grave a line of the log is (enum OrtLoggingLevel).
type Severity int

// The severities.
const (
	Verbose Severity = iota
	Info
	Warning
	Failure
	Fatal
)

// Provider is one execution provider to append, with its options. CPU is always there, last.
type Provider struct {
	Name    string // as ONNX Runtime lists it: CUDAExecutionProvider
	Options map[string]string
}

// Setting is one key with its value.
type Setting struct{ Key, Value string }

// Names of the execution providers that have their own way in.
const (
	CPU      = "CPUExecutionProvider"
	CUDA     = "CUDAExecutionProvider"
	TensorRT = "TensorrtExecutionProvider"
)

// Part is a part of a session's graph: nodes that one provider took together.
type Part struct {
	Provider string // as ONNX Runtime lists it
	Nodes    []Node
}

// Node is a node of the graph, as it was when the providers were asked: after ONNX Runtime's basic
// optimisations, and before its fusions.
type Node struct{ Name, Domain, Operator string }
