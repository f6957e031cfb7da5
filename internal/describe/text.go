package describe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
)

// Detail selects what to list in addition to the versions, the inputs, the outputs and the number
// of nodes per operator, which are always listed.
type Detail struct {
	Layers     bool // every node, one per line
	Attributes bool // the attributes of the listed nodes
	Weights    bool // every initializer, one per line
}

// Full selects all details.
func Full() Detail { return Detail{Layers: true, Attributes: true, Weights: true} }

// Write writes a description of the model to w, as text or, if asJSON is true, as JSON.
func Write(w io.Writer, m *loaders.Model, detail Detail, asJSON bool) error {
	d, err := Of(m, false)
	if err != nil {
		return err
	}
	text := d.text(detail)
	if asJSON {
		encoded, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return err
		}
		text = string(encoded) + "\n"
	}
	_, err = io.WriteString(w, text)
	return err
}

func (d Description) text(detail Detail) string {
	var b strings.Builder
	head := fmt.Sprintf("%s: %d bytes, IR version %d", d.Name, d.Bytes, d.Head.IRVersion)
	for _, o := range d.Head.Opsets {
		head += ", opset " + strings.TrimSpace(fmt.Sprint(o.Domain, " ", o.Version))
	}
	if d.Head.ProducerName != "" {
		head += ", made by " + d.Head.ProducerName
	}
	if d.Head.ProducerVersion != "" {
		head += " " + d.Head.ProducerVersion
	}
	fmt.Fprintln(&b, names.Line(head))
	section(&b, "inputs", d.Inputs)
	if detail.Weights {
		section(&b, "inputs with a default", d.Overridable)
	} else if len(d.Overridable) > 0 {
		fmt.Fprintf(&b, "inputs with a default: %d\n", len(d.Overridable))
	}
	section(&b, "outputs", d.Outputs)
	section(&b, fmt.Sprintf("operators of %d nodes", len(d.Nodes)), d.Operators)
	if detail.Layers {
		for i := range d.Nodes {
			if !detail.Attributes {
				d.Nodes[i].Attributes = nil
			}
		}
		section(&b, "nodes", d.Nodes)
	}
	if detail.Weights {
		section(&b, "initializers", d.Initializers)
	} else {
		fmt.Fprintf(&b, "initializers: %d\n", len(d.Initializers))
	}
	section(&b, "functions", d.Functions)
	section(&b, "external data", d.ExternalData)
	return b.String()
}

// section writes a title and the items, one per line. It omits the title of an empty list.
func section[T any](b *strings.Builder, title string, items []T) {
	if len(items) > 0 {
		fmt.Fprintf(b, "%s:\n", title)
	}
	for _, item := range items {
		fmt.Fprintf(b, "  %s\n", names.Line(fmt.Sprint(item)))
	}
}

// String returns the function's name and the start of its checksum.
func (f Function) String() string { return f.Name + " #" + f.Sum }

// String returns the count and the operator.
func (c OperatorCount) String() string { return fmt.Sprintf("%4d %s", c.Nodes, c.Operator) }

// String returns the initializer in one line: w tensor(float)[64,3,7,7].
func (i Weight) String() string {
	text := fmt.Sprintf("%s tensor(%s)%v", i.Name, i.TypeName, i.Shape)
	if i.Sparse {
		text += ", sparse"
	}
	if i.External {
		text += ", external"
	}
	return text
}

// String returns the node in one line: 3 Conv "stem" (x, w) -> (y) strides=[2,2].
func (n Node) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", n.Index, onnxfile.OperatorName(n.Domain, n.Op))
	if n.Name != "" {
		fmt.Fprintf(&b, " %q", n.Name)
	}
	fmt.Fprintf(&b, " (%s) -> (%s)", strings.Join(n.Inputs, ", "), strings.Join(n.Outputs, ", "))
	if len(n.Captured) > 0 {
		fmt.Fprintf(&b, " reading %s", strings.Join(n.Captured, ", "))
	}
	if attributes := attributesText(n.Attributes); attributes != "" {
		fmt.Fprintf(&b, " %s", attributes)
	}
	if from := n.Origin(); from != "" {
		fmt.Fprintf(&b, " from %s", from)
	}
	return b.String()
}

// SortedAttributes returns the node's attributes as one text, sorted by name.
func (n Node) SortedAttributes() string {
	return attributesText(slices.SortedFunc(slices.Values(n.Attributes),
		func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) }))
}

func attributesText(attributes []Attribute) string {
	return strings.Join(names.Each(attributes, func(a Attribute) string {
		return a.Name + "=" + a.Text
	}), " ")
}

// ParseDetail parses Polygraphy's words layers, attrs and weights. attrs is valid only together
// with layers. Without any words, ParseDetail selects all details.
func ParseDetail(words ...string) (d Detail, err error) {
	if len(words) == 0 {
		return Full(), nil
	}
	for _, word := range words {
		switch word {
		case "layers":
			d.Layers = true
		case "attrs":
			d.Attributes = true
		case "weights":
			d.Weights = true
		default:
			return d, fmt.Errorf("unknown part %q: expected layers, attrs or weights", word)
		}
	}
	if d.Attributes && !d.Layers {
		return d, errors.New("\"attrs\" requires \"layers\": pass both")
	}
	return d, nil
}

// Unbounded formats the result of edit.UnboundedShapes for people.
func Unbounded(names []string) string {
	return fmt.Sprintf("tensors that determine shapes but have no upper bound: %s\n",
		cmp.Or(strings.Join(names, ", "), "none"))
}
