package loaders

import (
	"fmt"
	"strings"
)

// Text is the description for people: versions, inputs, outputs and how many nodes of each
// operator; detailed also lists every node and initializer, one a line.
func (d Description) Text(detailed bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d bytes, IR version %d", d.Name, d.Bytes, d.Head.IRVersion)
	for _, o := range d.Head.Opsets {
		fmt.Fprintf(&b, ", opset %s", o)
	}
	if d.Head.ProducerName != "" {
		fmt.Fprintf(&b, ", made by %s", d.Head.ProducerName)
	}
	if d.Head.ProducerVersion != "" {
		fmt.Fprintf(&b, " %s", d.Head.ProducerVersion)
	}
	b.WriteByte('\n')
	section(&b, "inputs", d.Inputs)
	section(&b, "inputs with a default", d.Overridable)
	section(&b, "outputs", d.Outputs)
	section(&b, fmt.Sprintf("operators of %d nodes", len(d.Nodes)), d.Operators)
	if detailed {
		section(&b, "nodes", d.Nodes)
		section(&b, "initializers", d.Initializers)
	} else {
		fmt.Fprintf(&b, "initializers: %d\n", len(d.Initializers))
	}
	section(&b, "functions", d.Functions)
	section(&b, "external data", d.ExternalData)
	return b.String()
}

// section lists things, one a line; a section without any is left out.
func section[T any](b *strings.Builder, title string, list []T) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, item := range list {
		fmt.Fprintf(b, "  %v\n", item)
	}
}

// String is the version, after the domain if that is not ONNX's own.
func (o Opset) String() string { return strings.TrimSpace(fmt.Sprint(o.Domain, " ", o.Version)) }

// String is the function's name and the start of its checksum.
func (f DescribedFunction) String() string { return f.Name + " #" + f.Sum }

// String is the count and the operator.
func (c OperatorCount) String() string { return fmt.Sprintf("%4d %s", c.Nodes, c.Operator) }

// String is the initializer in one line: w tensor(float)[64,3,7,7].
func (i Initializer) String() string {
	text := fmt.Sprintf("%s tensor(%s)%v", i.Name, i.TypeName, i.Shape)
	if i.Sparse {
		text += ", sparse"
	}
	if i.External {
		text += ", external"
	}
	return text
}

// String is the node in one line: 3 Conv "stem" (x, w) -> (y) strides=[2,2].
func (n DescribedNode) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", n.Index, operatorName(n.Domain, n.Op))
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
	return b.String()
}

func attributesText(attributes []Attribute) string {
	texts := make([]string, len(attributes))
	for i, a := range attributes {
		texts[i] = a.Name + "=" + a.Text
	}
	return strings.Join(texts, " ")
}
