package onnxruntime

// Options are the options of a session.
type Options struct {
	Optimization int // 0 none, 1 basic, 2 extended, 99 all
	Threads      int // threads per operator; 0: the library chooses
	Providers    []Provider
	Config       map[string]string // session configuration entries
	Data         string            // the folder with external data of a model in memory, or ""
	Record       bool              // record the provider of each node, for Session.Assignment
	CustomOps    []string          // libraries of custom operators, by absolute path
	Written      string            // the path to which the session's model is written, or ""
	Varying      bool              // shapes change from run to run, so keep no memory plans
	Log          *Log              // receives the session's log, or nil
}

// Log receives the messages of a session's log.
type Log struct {
	From  Severity // messages of lower severity are dropped
	Write func(Line)
}

// Line is one message of the log.
type Line struct {
	Severity Severity
	Message  string
}

// Severity is the severity of a log message (enum OrtLoggingLevel), from 0 (verbose) to 4 (fatal).
type Severity int

// Info is the severity of messages about what the library does.
const Info Severity = 1

// Provider is an execution provider to add, with its options. The CPU's provider is always added
// last.
type Provider struct {
	Name    string // as ONNX Runtime lists it: CUDAExecutionProvider
	Options map[string]string
	Plugin  string // the path of the library given to [Plug], or "" if the provider is built in
}

// Device is a device that a plug-in execution provider offers.
type Device struct {
	Provider string // the provider's name: WebGpuExecutionProvider
	Version  string // the plug-in's version, or ""
	Kind     string // CPU, GPU or NPU
	Vendor   string // the hardware's vendor
}

// These are the names of the execution providers for which the binding has separate functions.
const (
	CPU      = "CPUExecutionProvider"
	CUDA     = "CUDAExecutionProvider"
	TensorRT = "TensorrtExecutionProvider"
)

// Part is a group of nodes that one provider runs.
type Part struct {
	Provider string // as ONNX Runtime lists it
	Nodes    []Node
}

// Node is a node of the graph as providers see it: after ONNX Runtime's basic optimisations and
// before its fusions.
type Node struct{ Name, Domain, Operator string }
