package loaders

import (
	"strings"
	"unsafe"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Node is one node of the model's graph.
type Node struct {
	// Index is the node's place in graph order, which ONNX requires to be an order of execution.
	Index   int      `json:"index"`
	Name    string   `json:"name,omitempty"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain,omitempty"` // of the operator; "" is ONNX's own
	Inputs  []string `json:"inputs"`           // "" is an omitted optional input
	Outputs []string `json:"outputs"`
	// Captured lists the tensors of this graph that the node's bodies (If, Loop, Scan) read, in
	// addition to Inputs.
	Captured []string `json:"captured,omitempty"`
	// Module is the path of the module that the node was exported from, "layer3.0.conv1", and
	// Source the file and line that called it, "/home/me/net.py:94", as recorded by PyTorch's
	// exporters. The older exporter records only the module, in the node's name. Both are "" if
	// unknown.
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

// Nodes returns the nodes of the graph, in graph order. Nodes inside the bodies of If, Loop and
// Scan, or inside functions, belong to the node that holds them. A list much larger than the model
// is an error, such as for a million unnamed nodes.
func (m *Model) Nodes() ([]Node, error) {
	var nodes []Node
	err := m.file.List(func(take func(int) error) error {
		return m.file.EachNode(func(i int, n *onnxwire.Node, r *onnxwire.Reader) error {
			node, err := nodeOf(i, n, r)
			nodes = append(nodes, node)
			if err != nil {
				return err
			}
			names := len(node.Inputs) + len(node.Outputs) + len(node.Captured)
			return take(2*int(unsafe.Sizeof(node)) + 32*names + len(node.Module) + len(node.Source) + 48)
		})
	})
	return nodes, err
}

func nodeOf(i int, n *onnxwire.Node, r *onnxwire.Reader) (Node, error) {
	names, err := onnxfile.Captured(n, r)
	module, source := onnxfile.Origin(n, r)
	return Node{Index: i, Name: n.Name, Op: n.Op, Domain: n.Domain, Inputs: n.Inputs,
		Outputs: n.Outputs, Captured: names, Module: module, Source: source}, err
}

// Origin describes for people where the node comes from, "layer3.0.conv1
// (timm/models/resnet.py:94)", or only one of the two, or "". Paths of files in installed packages
// begin with the package.
func (n Node) Origin() string {
	source := n.Source
	if _, inside, ok := strings.Cut(source, "-packages/"); ok {
		source = inside
	}
	if n.Module == "" || source == "" {
		return n.Module + source
	}
	return n.Module + " (" + source + ")"
}
