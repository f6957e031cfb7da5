package loaders

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"unsafe"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Description summarises a model, as `modelparity inspect` prints it. It marshals to JSON.
type Description struct {
	Name         string              `json:"name"`
	Bytes        int64               `json:"bytes"` // excluding external data
	SHA256       string              `json:"sha256,omitempty"`
	Head         Head                `json:"head"`
	Inputs       []Value             `json:"inputs"`
	Overridable  []Value             `json:"overridable_initializers,omitempty"`
	Outputs      []Value             `json:"outputs"`
	Operators    []OperatorCount     `json:"operators"`
	Nodes        []DescribedNode     `json:"nodes"`
	Initializers []DescribedWeight   `json:"initializers"`
	Functions    []DescribedFunction `json:"functions,omitempty"`
	ExternalData []string            `json:"external_data,omitempty"` // relative to the model
}

// OperatorCount is the number of nodes of the graph that have this operator.
type OperatorCount struct {
	Operator string `json:"operator"` // with its domain, unless it is ONNX's own
	Nodes    int    `json:"nodes"`
}

// DescribedNode is a node with its attributes.
type DescribedNode struct {
	Node
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is a node's attribute as text. Values too long to print, such as tensors and graphs,
// are replaced by their kind and the start of their checksum: "tensor #1b4f0e98".
type Attribute struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// DescribedWeight is an initializer with the checksum of its data.
type DescribedWeight struct {
	Initializer
	SHA256 string `json:"sha256,omitempty"`
}

// DescribedFunction is an operator that the model itself defines.
type DescribedFunction struct {
	Name string `json:"name"` // with its domain
	Sum  string `json:"sum"`  // the start of its checksum
}

// Describe returns a summary of the model, including every node and initializer. With checksums it
// also reads every weight, as [Diff] requires. A summary much larger than the model is an error,
// such as for a million unnamed nodes; [Model.WriteDescription] has no such limit.
func (m *Model) Describe(checksums bool) (Description, error) {
	d, err := m.outline()
	if err != nil {
		return Description{}, err
	}
	err = m.file.List(func(take func(int) error) error {
		err := m.eachDescribed(func(n DescribedNode) error {
			d.Nodes = append(d.Nodes, n)
			need := n.memory()
			for _, a := range n.Attributes {
				need += 2*int(unsafe.Sizeof(a)) + len(a.Name) + len(a.Text)
			}
			return take(need)
		})
		if err != nil {
			return err
		}
		return m.eachWeight(checksums, func(w DescribedWeight) error {
			d.Initializers = append(d.Initializers, w)
			return take(2*int(unsafe.Sizeof(w)) + 8*len(w.Shape) + len(w.SHA256))
		})
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

// outline returns the description without its nodes and initializers.
func (m *Model) outline() (Description, error) {
	// Lists are not nil, so that JSON has [] and not null.
	d := Description{Name: m.file.Name, Operators: []OperatorCount{}, Nodes: []DescribedNode{},
		Initializers: []DescribedWeight{}}
	size, err := m.Size()
	if err != nil {
		return Description{}, err
	}
	d.Bytes = size
	// The errors below can be ignored: Size has loaded the model.
	d.Head, _ = m.Head()
	inputs, _ := m.Inputs()
	d.Inputs = orEmpty(inputs)
	d.Overridable, _ = m.OverridableInitializers()
	outputs, _ := m.Outputs()
	d.Outputs = orEmpty(outputs)
	d.Head.Opsets = orEmpty(d.Head.Opsets)
	seen := map[string]bool{}
	for _, e := range m.file.Structure.External {
		if !seen[e.Location] {
			seen[e.Location] = true
			d.ExternalData = append(d.ExternalData, e.Location)
		}
	}
	source, done, err := m.file.Open()
	if err != nil {
		return Description{}, m.file.Located(err)
	}
	defer done()
	for _, f := range m.file.Structure.Functions {
		sum, err := shortSum(source, f.Span)
		if err != nil {
			return Description{}, m.file.Located(err)
		}
		d.Functions = append(d.Functions, DescribedFunction{onnxfile.OperatorName(f.Domain, f.Name), sum})
	}
	counts := map[string]int{}
	err = m.file.EachNode(func(_ int, n *onnxwire.Node, _ *onnxwire.Reader) error {
		counts[onnxfile.OperatorName(n.Domain, n.Op)]++
		return nil
	})
	if err != nil {
		return Description{}, m.file.Located(err)
	}
	for operator, n := range counts {
		d.Operators = append(d.Operators, OperatorCount{operator, n})
	}
	slices.SortFunc(d.Operators, func(a, b OperatorCount) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Operator, b.Operator))
	})
	return d, nil
}

// eachDescribed visits the nodes with their attributes, one at a time.
func (m *Model) eachDescribed(visit func(DescribedNode) error) error {
	source, done, err := m.file.Open()
	if err != nil {
		return err
	}
	defer done()
	return m.file.EachNode(func(i int, wire *onnxwire.Node, r *onnxwire.Reader) error {
		n, err := nodeOf(i, wire, r)
		if err != nil {
			return err
		}
		attributes, err := r.Attributes(wire.Span)
		if err != nil {
			return err
		}
		n.Inputs, n.Outputs = orEmpty(n.Inputs), orEmpty(n.Outputs)
		described := DescribedNode{Node: n}
		for _, a := range attributes {
			text := a.Text
			if !a.Whole {
				sum, err := shortSum(source, a.Span)
				if err != nil {
					return err
				}
				text += " #" + sum
			}
			described.Attributes = append(described.Attributes, Attribute{a.Name, text})
		}
		return visit(described)
	})
}

// orEmpty returns the list, or an empty list instead of nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// shortSum returns the start of a message's checksum.
func shortSum(source onnxwire.Source, span onnxwire.Span) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, io.NewSectionReader(source, span.Start, span.Len()))
	return hex.EncodeToString(hash.Sum(nil)[:4]), err
}

// MarshalJSON writes a value as {"name":…,"type":"tensor(float)","shape":["batch",3,null]}, without
// "shape" if none is declared.
func (v Value) MarshalJSON() ([]byte, error) {
	object := struct {
		Name  string `json:"name"`
		Type  string `json:"type"`
		Shape *[]Dim `json:"shape,omitempty"`
	}{Name: v.Name, Type: v.TypeName}
	if v.HasShape {
		dims := append([]Dim{}, v.Dims...)
		object.Shape = &dims
	}
	return json.Marshal(object)
}

// MarshalJSON writes a dimension as a number, its symbol, or null.
func (d Dim) MarshalJSON() ([]byte, error) {
	switch {
	case d.Size >= 0:
		return strconv.AppendInt(nil, int64(d.Size), 10), nil
	case d.Symbol != "":
		return json.Marshal(d.Symbol)
	}
	return []byte("null"), nil
}
