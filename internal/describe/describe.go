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
// the model, as with a million unnamed nodes. [Write] has no such limit.
func Of(m *loaders.Model, checksums bool) (Description, error) {
	d, err := outline(m)
	if err != nil {
		return Description{}, err
	}
	list, done := m.File().Open()
	defer done()
	err = eachNode(m, func(n Node) error {
		d.Nodes = append(d.Nodes, n)
		names := len(n.Inputs) + len(n.Outputs) + len(n.Captured)
		list.Take(2*int(unsafe.Sizeof(n)) + 32*names + len(n.Module) + len(n.Source) + 48)
		for _, a := range n.Attributes {
			list.Take(2*int(unsafe.Sizeof(a)) + len(a.Name) + len(a.Text))
		}
		return m.File().Located(list.Err())
	})
	if err != nil {
		return Description{}, err
	}
	err = eachWeight(m, checksums, func(w Weight) error {
		d.Initializers = append(d.Initializers, w)
		list.Take(2*int(unsafe.Sizeof(w)) + 8*len(w.Shape) + len(w.SHA256))
		return m.File().Located(list.Err())
	})
	if err != nil {
		return Description{}, err
	}
	if checksums {
		if d.SHA256, err = m.SHA256(); err != nil {
			return Description{}, err
		}
	}
	return d, nil
}

// outline returns a description that lacks the nodes and initializers.
func outline(m *loaders.Model) (Description, error) {
	// The lists are empty instead of nil, because JSON should contain [] rather than null.
	d := Description{Name: m.File().Name, Operators: []OperatorCount{}, Nodes: []Node{},
		Initializers: []Weight{}}
	size, err := m.Size()
	if err != nil {
		return Description{}, err
	}
	d.Bytes = size
	// The errors of the next calls can be ignored: they only report that the model cannot be
	// loaded, and Size has just loaded it.
	d.Head, _ = m.Head()
	inputs, _ := m.Inputs()
	d.Inputs = orEmpty(inputs)
	d.Overridable, _ = m.OverridableInitializers()
	outputs, _ := m.Outputs()
	d.Outputs = orEmpty(outputs)
	d.Head.Opsets = orEmpty(d.Head.Opsets)
	seen := map[string]bool{}
	for _, e := range m.File().Structure.External {
		if !seen[e.Location] {
			seen[e.Location] = true
			d.ExternalData = append(d.ExternalData, e.Location)
		}
	}
	r, done := m.File().Open()
	defer done()
	for _, f := range m.File().Structure.Functions {
		d.Functions = append(d.Functions,
			Function{onnxfile.OperatorName(f.Domain, f.Name), shortSum(r, f.Span)})
	}
	counts := map[string]int{}
	for _, n := range r.Nodes(&m.File().Structure.Graph.Nodes) {
		counts[onnxfile.OperatorName(n.Domain, n.Op)]++
	}
	if r.Err() != nil {
		return Description{}, m.File().Located(r.Err())
	}
	for operator, n := range counts {
		d.Operators = append(d.Operators, OperatorCount{operator, n})
	}
	slices.SortFunc(d.Operators, func(a, b OperatorCount) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Operator, b.Operator))
	})
	return d, nil
}

// eachNode calls visit for each node with its attributes, one at a time.
func eachNode(m *loaders.Model, visit func(Node) error) (err error) {
	wrong := m.File().EachNode(func(i int, wire *onnxwire.Node, r *onnxwire.Reader) {
		n := Node{Node: loaders.Node{Index: i, Name: wire.Name, Op: wire.Op, Domain: wire.Domain,
			Inputs: orEmpty(wire.Inputs), Outputs: orEmpty(wire.Outputs)}}
		n.Module, n.Source = onnxfile.Origin(wire, r)
		n.Captured = onnxfile.Captured(wire, r)
		for _, a := range r.Attributes(wire.Span) {
			text := a.Text
			if !a.Whole {
				text += " #" + shortSum(r, a.Span)
			}
			n.Attributes = append(n.Attributes, Attribute{a.Name, text})
		}
		if r.Err() == nil {
			err = visit(n)
			r.Fail(err)
		}
	})
	return cmp.Or(err, wrong)
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
