package loaders

import (
	"strings"
	"unsafe"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Node is one node of the model's graph.
type Node struct {
	// Index is the node's position in the graph. ONNX requires nodes to be in an order of
	// execution.
	Index   int      `json:"index"`
	Name    string   `json:"name,omitempty"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain,omitempty"` // of the operator; "" is ONNX's own
	Inputs  []string `json:"inputs"`           // "" stands for an omitted optional input
	Outputs []string `json:"outputs"`
	// Captured lists the tensors of this graph that the node's bodies (of If, Loop, Scan) read, in
	// addition to Inputs.
	Captured []string `json:"captured,omitempty"`
	// Module is the path of the module that the node was exported from, such as "layer3.0.conv1".
	// Source is the file and line of the call, such as "/home/me/net.py:94". Both are as recorded by
	// PyTorch's exporter, and "" if unknown.
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

// Nodes returns the nodes of the graph, in graph order. It does not list nodes inside functions or
// inside the bodies of If, Loop and Scan. It is an error if the list would be much larger than the
// model, for example with a million unnamed nodes.
func (m *Model) Nodes() (nodes []Node, err error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	count := len(m.file.Structure.Graph.Nodes)
	err = m.file.EachNode(func(i int, n *onnxwire.Node, r *onnxwire.Reader) {
		if nodes == nil {
			if r.Take(count * int(unsafe.Sizeof(Node{}))); r.Err() != nil {
				return
			}
			nodes = make([]Node, 0, count)
		}
		node := nodeOf(i, n, r)
		nodes = append(nodes, node)
		names := len(node.Inputs) + len(node.Outputs) + len(node.Captured)
		r.Take(32*names + len(node.Module) + len(node.Source) + 48)
	})
	return nodes, err
}

func nodeOf(i int, n *onnxwire.Node, r *onnxwire.Reader) Node {
	module, source := onnxfile.Origin(n, r)
	if onnxfile.IsONNX(n.Domain) {
		n.Domain = ""
	}
	return Node{Index: i, Name: n.Name, Op: n.Op, Domain: n.Domain, Inputs: n.Inputs,
		Outputs: n.Outputs, Captured: onnxfile.Captured(n, r), Module: module, Source: source}
}

// Origin describes where the node comes from, for people: "layer3.0.conv1
// (timm/models/resnet.py:94)", or only one of the two, or "". For a file of an installed package,
// the path begins with the package's name.
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
