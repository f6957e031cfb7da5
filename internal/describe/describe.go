// Package describe formats models for people and as JSON, and lists how two models differ.
package describe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unsafe"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// Description summarises a model. It is what `modelparity inspect` prints as text or JSON.
type Description struct {
	Name         string          `json:"name"`
	Bytes        int64           `json:"bytes"` // size of the model without external data
	SHA256       string          `json:"sha256,omitempty"`
	Head         loaders.Head    `json:"head"`
	Inputs       []loaders.Value `json:"inputs"`
	Overridable  []loaders.Value `json:"overridable_initializers,omitempty"`
	Outputs      []loaders.Value `json:"outputs"`
	Operators    []OperatorCount `json:"operators"`
	Nodes        []Node          `json:"nodes"`
	Initializers []Weight        `json:"initializers"`
	Functions    []Function      `json:"functions,omitempty"`
	ExternalData []string        `json:"external_data,omitempty"` // relative to the model
}

// OperatorCount says how many nodes have a certain operator.
type OperatorCount struct {
	Operator string `json:"operator"` // with its domain, unless it is ONNX's own
	Nodes    int    `json:"nodes"`
}

// Node is a node with its attributes.
type Node struct {
	loaders.Node
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is a node's attribute in text form. If the value is too long to print, such as a tensor
// or a graph, the text consists of the kind of value and the start of a checksum: "tensor
// #1b4f0e98".
type Attribute struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// Number returns the value of a numeric attribute, or a default value if the node lacks it.
func (n *Node) Number(name string, otherwise float64) float64 {
	for _, a := range n.Attributes {
		if v, err := strconv.ParseFloat(a.Text, 64); a.Name == name && err == nil {
			return v
		}
	}
	return otherwise
}

// Weight is an initializer with the checksum of its data.
type Weight struct {
	loaders.Initializer
	SHA256 string `json:"sha256,omitempty"`
}

// Function is an operator that the model itself defines.
type Function struct {
	Name string `json:"name"` // with its domain
	Sum  string `json:"sum"`  // the start of its checksum
}

// Of summarises a model, including every node and initializer. If checksums is true, it also reads
// every weight, which [Diff] requires. Of returns an error if the summary would be much larger than
// the model, as with a million unnamed nodes.
func Of(m *loaders.Model, checksums bool) (d Description, err error) {
	nodes, err := m.Nodes()
	if err != nil {
		return d, err
	}
	// The model is loaded now, and these methods return no other errors. The lists are empty instead
	// of nil, because JSON should contain [] rather than null.
	d.Name, d.Operators, d.Initializers = m.File().Name, []OperatorCount{}, []Weight{}
	d.Head, _ = m.Head()
	d.Head.Opsets = orEmpty(d.Head.Opsets)
	inputs, _ := m.Inputs()
	outputs, _ := m.Outputs()
	d.Inputs, d.Outputs = orEmpty(inputs), orEmpty(outputs)
	d.Overridable, _ = m.OverridableInitializers()
	if d.Bytes, err = m.Size(); err != nil {
		return d, err
	}
	d.ExternalData = m.File().Locations()
	r, done := m.File().Open()
	defer done()
	for _, f := range m.File().Structure.Functions {
		d.Functions = append(d.Functions,
			Function{onnxfile.OperatorName(f.Domain, f.Name), shortSum(r, f.Span)})
	}
	d.addNodes(m, r, nodes)
	if r.Err() != nil {
		return d, m.File().Located(r.Err())
	}
	if err = d.addWeights(m, r, checksums); err == nil && checksums {
		d.SHA256, err = m.SHA256()
	}
	return d, err
}

// addNodes adds the nodes with their attributes, and counts the operators.
func (d *Description) addNodes(m *loaders.Model, r *onnxwire.Reader, nodes []loaders.Node) {
	if r.Take(len(nodes) * int(unsafe.Sizeof(Node{}))); r.Err() != nil {
		return
	}
	d.Nodes = make([]Node, len(nodes))
	counts := map[string]int{}
	for i, node := range nodes {
		counts[onnxfile.OperatorName(node.Domain, node.Op)]++
		node.Inputs, node.Outputs = orEmpty(node.Inputs), orEmpty(node.Outputs)
		n := Node{Node: node}
		for _, a := range r.Attributes(m.File().Structure.Graph.Nodes[i]) {
			if !a.Whole {
				a.Text += " #" + shortSum(r, a.Span)
			}
			n.Attributes = append(n.Attributes, Attribute{a.Name, a.Text})
			r.Take(2*int(unsafe.Sizeof(n.Attributes[0])) + len(a.Name) + len(a.Text))
		}
		if r.Err() != nil {
			return
		}
		d.Nodes[i] = n
	}
	for operator, n := range counts {
		d.Operators = append(d.Operators, OperatorCount{operator, n})
	}
	slices.SortFunc(d.Operators, func(a, b OperatorCount) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Operator, b.Operator))
	})
}

// orEmpty returns list, or an empty list if list is nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// shortSum returns the first eight hexadecimal digits of the checksum of a protobuf message.
func shortSum(r *onnxwire.Reader, span onnxwire.Span) string {
	sum := sha256.Sum256(r.Bytes(span))
	return hex.EncodeToString(sum[:4])
}
