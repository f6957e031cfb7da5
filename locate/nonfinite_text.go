package locate

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Found reports whether any output has non-finite values.
func (f *Origin) Found() bool { return len(f.Outputs) > 0 }

// Headline summarizes the finding in one line.
func (f *Origin) Headline() string {
	switch {
	case !f.Found():
		return f.Subject + ": every output is finite"
	case f.NaN != nil && f.Infinity != nil && f.Infinity.Node.Index < f.NaN.Node.Index:
		return fmt.Sprintf("%s: %s turns finite operands into infinities, which %s turns into NaN",
			f.Subject, f.Infinity.text(), f.NaN.text())
	case f.NaN != nil:
		return fmt.Sprintf("%s: the first NaN comes from %s", f.Subject, f.NaN.text())
	case f.Infinity != nil:
		return fmt.Sprintf("%s: the first infinity comes from %s", f.Subject, f.Infinity.text())
	}
	return f.Subject + ": the NaN or infinity comes from the inputs or the weights, not from a node"
}

// text describes the node.
func (n *OriginNode) text() string {
	name := nameOf(n.Node)
	return name.text("")
}

// Text describes the finding for users. If other is not nil, the text also shows the ranges that
// the same tensors have in other. The text ends with a newline.
func (f *Origin) Text(other *Origin) string {
	var b strings.Builder
	b.WriteString(names.Line(f.Headline()) + "\n")
	if f.Found() {
		fmt.Fprintf(&b, "  not finite: %s, iteration %d\n", names.Line(strings.Join(f.Outputs, ", ")),
			f.Iteration)
	}
	shown := map[int]bool{}
	for _, p := range []*OriginNode{f.Infinity, f.NaN} {
		if p == nil || shown[p.Node.Index] {
			continue
		}
		shown[p.Node.Index] = true
		fmt.Fprintf(&b, "  %s\n", names.Line(p.text()))
		half := p.Output.Type == tensor.Float16
		fmt.Fprintf(&b, "    gives %s\n", p.Output.text(half))
		for _, r := range p.Operands {
			fmt.Fprintf(&b, "    from  %s\n", r.text(half))
		}
		if other == nil {
			continue
		}
		if r, ok := other.ranges[p.Output.Tensor]; ok {
			fmt.Fprintf(&b, "    in %s: %s\n", names.Line(other.Subject), r.text(half))
		}
	}
	for _, r := range f.Near {
		fmt.Fprintf(&b, "  near float16's limit: %s\n", r.text(true))
	}
	for _, note := range f.Notes {
		b.WriteString("  note: " + names.Line(note) + "\n")
	}
	return b.String()
}

// text describes a range in one line: "h" float16[4,8], -3.5 to 64210 (65504 is 1.02 times as
// large), 2 NaN. If half is true, it compares the values with the largest float16 number, 65504.
func (r Range) text(half bool) string {
	kind := ""
	if r.Weight {
		kind = "weight "
	}
	text := fmt.Sprintf("%s%q %v%v", kind, r.Tensor, r.Type, r.Shape)
	if math.IsNaN(r.Least) {
		text += ", no finite values"
	} else {
		text += fmt.Sprintf(", %.5g to %.5g", r.Least, r.Greatest)
	}
	switch reach := r.reach(); {
	case !half || !r.Type.IsFloat() || !(reach > 0):
	case reach > greatestHalf:
		text += fmt.Sprintf(" (%.3g times float16's limit of %d)", reach/greatestHalf, greatestHalf)
	case r.Type == tensor.Float16:
		text += fmt.Sprintf(" (%d is %.3g times as large)", greatestHalf, greatestHalf/reach)
	}
	if r.NaN > 0 {
		text += fmt.Sprintf(", %d NaN", r.NaN)
	}
	if r.Inf > 0 {
		text += fmt.Sprintf(", %d infinite", r.Inf)
	}
	return text
}
