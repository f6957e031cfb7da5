package describe

import (
	"bufio"
	"bytes"
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

// Write writes a description of the model to w, as text or, if asJSON is true, as JSON. Since it
// writes nodes and initializers one at a time, their number is not limited by memory.
func Write(w io.Writer, m *loaders.Model, detail Detail, asJSON bool) error {
	d, err := outline(m)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	p := parts{m.File().Structure.Graph.Nodes.Len(), len(m.File().Structure.Graph.Initializers),
		func(visit func(any) error) error {
			return eachNode(m, func(n Node) error {
				if !detail.Attributes && !asJSON {
					n.Attributes = nil
				}
				return visit(n)
			})
		},
		func(visit func(any) error) error {
			return eachWeight(m, false, func(w Weight) error { return visit(w) })
		}}
	if asJSON {
		err = d.writeJSON(out, p)
	} else {
		err = d.write(out, detail, p)
	}
	return errors.Join(err, out.Flush())
}

// parts contains the lengths of a description's long lists, and functions that visit the elements
// of these lists one at a time.
type parts struct {
	nodes, initializers       int
	eachNode, eachInitializer func(visit func(any) error) error
}

// listed returns a function that visits the elements of a list.
func listed[T any](list []T) func(func(any) error) error {
	return func(visit func(any) error) error {
		for _, item := range list {
			if err := visit(item); err != nil {
				return err
			}
		}
		return nil
	}
}

// write writes the description as text to a buffered w. The caller must flush w, because some write
// errors are only reported then.
func (d Description) write(w io.Writer, detail Detail, p parts) error {
	var head strings.Builder
	fmt.Fprintf(&head, "%s: %d bytes, IR version %d", d.Name, d.Bytes, d.Head.IRVersion)
	for _, o := range d.Head.Opsets {
		fmt.Fprintf(&head, ", opset %s", strings.TrimSpace(fmt.Sprint(o.Domain, " ", o.Version)))
	}
	if d.Head.ProducerName != "" {
		fmt.Fprintf(&head, ", made by %s", d.Head.ProducerName)
	}
	if d.Head.ProducerVersion != "" {
		fmt.Fprintf(&head, " %s", d.Head.ProducerVersion)
	}
	fmt.Fprintln(w, names.Line(head.String()))
	var err error
	section := func(title string, n int, each func(func(any) error) error) {
		if n == 0 || err != nil { // empty sections are omitted
			return
		}
		fmt.Fprintf(w, "%s:\n", title)
		err = each(func(item any) error {
			_, err := fmt.Fprintf(w, "  %s\n", names.Line(fmt.Sprint(item)))
			return err
		})
	}
	section("inputs", len(d.Inputs), listed(d.Inputs))
	if detail.Weights {
		section("inputs with a default", len(d.Overridable), listed(d.Overridable))
	} else if len(d.Overridable) > 0 {
		fmt.Fprintf(w, "inputs with a default: %d\n", len(d.Overridable))
	}
	section("outputs", len(d.Outputs), listed(d.Outputs))
	section(fmt.Sprintf("operators of %d nodes", p.nodes), len(d.Operators), listed(d.Operators))
	if detail.Layers {
		section("nodes", p.nodes, p.eachNode)
	}
	if detail.Weights {
		section("initializers", p.initializers, p.eachInitializer)
	} else {
		fmt.Fprintf(w, "initializers: %d\n", p.initializers)
	}
	section("functions", len(d.Functions), listed(d.Functions))
	section("external data", len(d.ExternalData), listed(d.ExternalData))
	return err
}

// writeJSON writes the description with indentation, and each node and initializer on one line. It
// takes nodes and initializers from p one at a time, so that the lists are never in memory as a
// whole.
func (d Description) writeJSON(w io.Writer, p parts) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	for _, part := range []struct {
		key  string
		each func(func(any) error) error
	}{{"nodes", p.eachNode}, {"initializers", p.eachInitializer}} {
		empty := "\n  \"" + part.key + "\": ["
		before, after, _ := bytes.Cut(text, []byte(empty+"]"))
		fmt.Fprintf(w, "%s%s", before, empty)
		separator := "\n    "
		err := part.each(func(item any) error {
			text, err := json.Marshal(item)
			if err == nil {
				_, err = fmt.Fprintf(w, "%s%s", separator, text)
			}
			separator = ",\n    "
			return err
		})
		if err != nil {
			return err
		}
		if separator[0] == ',' {
			fmt.Fprint(w, "\n  ")
		}
		fmt.Fprint(w, "]")
		text = after
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
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
	texts := make([]string, len(attributes))
	for i, a := range attributes {
		texts[i] = a.Name + "=" + a.Text
	}
	return strings.Join(texts, " ")
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
		return d, errors.New("attrs requires layers: pass layers attrs")
	}
	return d, nil
}

// Unbounded formats the result of edit.UnboundedShapes for people.
func Unbounded(names []string) string {
	return fmt.Sprintf("tensors that determine shapes but have no upper bound: %s\n",
		cmp.Or(strings.Join(names, ", "), "none"))
}
