package onnxwire

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Attribute is a node's attribute, formatted for people.
type Attribute struct {
	Name  string
	Text  string // "[3,3]", "0.5", `"SAME_UPPER"`, "tensor", "graph"
	Whole bool   // whether Text is the complete value; false for tensors, graphs and long lists
	Span  Span   // position of the AttributeProto
}

// shownValues is the maximum number of list values in an attribute's text.
const shownValues = 8

// Attributes reads the attributes of the NodeProto at span.
func (r *Reader) Attributes(span Span) (list []Attribute) {
	for f := range r.Fields(span) {
		if f.Number == NodeAttribute {
			list = append(list, r.attributeText(f.Body))
		}
	}
	return list
}

// Attributes are a node's attributes by name. The values are text; see [Attribute].
type Attributes map[string]string

// unread replaces the text of an attribute that is not the complete value. Since it is neither a
// number nor a list, parsing such an attribute fails.
const unread = "…"

// AttributesByName reads the attributes of the NodeProto at span.
func (r *Reader) AttributesByName(span Span) Attributes {
	all := Attributes{}
	for _, a := range r.Attributes(span) {
		if !a.Whole {
			a.Text = unread
		}
		all[a.Name] = a.Text
	}
	return all
}

// Integer returns the value of an integer attribute.
func (a Attributes) Integer(name string, otherwise int) int {
	if v, err := strconv.Atoi(a[name]); err == nil {
		return v
	}
	return otherwise
}

// Float returns the value of a float32 attribute.
func (a Attributes) Float(name string, otherwise float32) float64 {
	if v, err := strconv.ParseFloat(a[name], 32); err == nil {
		return v
	}
	return float64(otherwise)
}

// Word returns the value of a string attribute, or "" if the node lacks the attribute.
func (a Attributes) Word(name string) string {
	word, _ := strconv.Unquote(a[name])
	return word
}

// Integers returns the value of an attribute that is a list of integers. It returns an empty list
// if the node lacks the attribute.
func (a Attributes) Integers(name string) (list []int, err error) {
	if text, ok := a[name]; ok && json.Unmarshal([]byte(text), &list) != nil {
		return nil, fmt.Errorf("attribute %s is %q, expected a list of integers", name, text)
	}
	return list, nil
}

// attributeText reads an AttributeProto.
func (r *Reader) attributeText(span Span) Attribute {
	a := Attribute{Span: span, Whole: true}
	var values valueList
	for f := range r.Fields(span) {
		switch f.Number {
		case AttributeName:
			a.Name = r.text(f, "an attribute's name")
		case AttributeFloat:
			a.Text = float32Text(uint32(f.value))
		case AttributeInt:
			a.Text = strconv.FormatInt(int64(f.value), 10)
		case AttributeString:
			a.Text, a.Whole = r.shown(f), f.Body.Len() <= shownText
		case AttributeFloats:
			r.floats(&values, f)
		case AttributeInts:
			for v := range r.eachInteger(f, "an attribute's integers") {
				values.add(func() string { return strconv.FormatInt(v, 10) })
			}
		case AttributeStrings:
			values.add(func() string { return r.shown(f) })
		case attributeType, attributeTypes:
			a.Text, a.Whole = "type", false
		case attributeReference:
			a.Text = "the function's " + r.text(f, "an attribute's reference")
		}
		if what := contents[AttributeMessage.Member(f.Number)]; what != "" {
			a.Text, a.Whole = what, false
		}
	}
	if a.Text == "" { // neither a single value nor a tensor
		a.Text, a.Whole = values.String(), values.more == 0
	}
	return a
}

// contents maps the kind of message to the text that is shown for an attribute that contains a
// tensor or a graph.
var contents = map[Message]string{TensorMessage: "tensor", SparseTensorMessage: "sparse tensor",
	GraphMessage: "graph"}

// floats adds a repeated float field to values, whether the field is packed or not.
func (r *Reader) floats(values *valueList, f Field) {
	if f.kind == protowire.Fixed32Type {
		values.add(func() string { return float32Text(uint32(f.value)) })
		return
	}
	for offset := f.Body.Start; offset+4 <= f.Body.End && r.err == nil; offset += 4 {
		v, n := protowire.ConsumeFixed32(r.peek(offset, 4))
		if n < 0 {
			r.wrong(offset, "an attribute's list of floats is truncated")
			return
		}
		values.add(func() string { return float32Text(v) })
	}
}

func float32Text(bits uint32) string {
	return strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
}

// shownText is the maximum number of bytes that are shown of a string.
const shownText = 64

// shown quotes the beginning of a string, which may be long or binary.
func (r *Reader) shown(f Field) string {
	if !r.wants(f, protowire.BytesType, "an attribute's text") || f.Body.Len() == 0 {
		return `""`
	}
	text := strconv.Quote(string(r.peek(f.Body.Start, int(min(f.Body.Len(), shownText)))))
	if f.Body.Len() > shownText {
		text += "…"
	}
	return text
}

// valueList formats a list. It counts the values that it does not show.
type valueList struct {
	list []string
	more int
}

// add adds a value, or counts it as not shown. It calls text only for a value that is shown.
func (l *valueList) add(text func() string) {
	if len(l.list) == shownValues {
		l.more++
		return
	}
	l.list = append(l.list, text())
}

func (l *valueList) String() string {
	text := strings.Join(l.list, ",")
	if l.more > 0 {
		text += fmt.Sprintf(",… %d more", l.more)
	}
	return "[" + text + "]"
}
