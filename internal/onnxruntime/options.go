package onnxruntime

// Options are the options of a session.
type Options struct {
	Optimization int // 0 none, 1 basic, 2 extended, 99 all
	IntraThreads int // threads within one operator; 0 lets the library choose
	InterThreads int // operators at once; 0 lets the library choose
	Providers    []Provider
	Config       []Setting // session configuration entries, in order
	Data         string    // the folder of the external data of a model in memory; "" if none
	Record       bool      // record which provider runs which nodes, for [Session.Assignment]
	CustomOps    []string  // libraries of custom operators, by absolute path
	Initializers []Named   // values of external data in the model, read in place
	Written      string    // where to write the session's model; "" for nowhere
	Varying      bool      // shapes change from run to run: keep no memory plan for each
	Log          *Log      // where the session's log goes; nil for nowhere
}

// Log receives the lines of a session's log.
type Log struct {
	From  Severity // less severe lines are dropped
	Write func(Line)
}

// Line is one line of the log.
type Line struct {
	Severity                 Severity
	Category, Place, Message string // Place is in ONNX Runtime's own source
}

// Severity is the severity of a log line (enum OrtLoggingLevel).
type Severity int

// The severities.
const (
	Verbose Severity = iota
	Info
	Warning
	Failure
	Fatal
)

// Provider is an execution provider to add, with its options. The CPU is always added last.
type Provider struct {
	Name    string // as ONNX Runtime lists it: CUDAExecutionProvider
	Options map[string]string
}

// Setting is one key with its value.
type Setting struct{ Key, Value string }

// Names of the execution providers that are added by their own functions.
const (
	CPU      = "CPUExecutionProvider"
	CUDA     = "CUDAExecutionProvider"
	TensorRT = "TensorrtExecutionProvider"
)

// Part is a part of a session's graph: the nodes that one provider took together.
type Part struct {
	Provider string // as ONNX Runtime lists it
	Nodes    []Node
}

// Node is a node of the graph as the providers saw it: after ONNX Runtime's basic optimisations,
// and before its fusions.
type Node struct{ Name, Domain, Operator string }
