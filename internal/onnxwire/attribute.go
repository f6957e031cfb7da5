package onnxwire

import (
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

// Attributes reads the attributes of the NodeProto at span, which must have been scanned.
func Attributes(src Source, span Span) ([]Attribute, error) {
	return NewReader(src).Attributes(span)
}

// Attributes reads the attributes of the NodeProto at span.
func (r *Reader) Attributes(span Span) ([]Attribute, error) {
	r.s.budget = math.MaxInt64
	return r.s.attributes(span)
}

func (r *reader) attributes(span Span) ([]Attribute, error) {
	var list []Attribute
	err := r.fields(span, func(f field) error {
		if f.number != nodeAttribute {
			return nil
		}
		a := Attribute{Span: f.span, Whole: true}
		values := valueList{}
		err := r.fields(f.span, func(f field) error { return r.attributeField(&a, &values, f) })
		if a.Text == "" { // neither a single value nor a tensor
			a.Text, a.Whole = values.String(), values.more == 0
		}
		list = append(list, a)
		return err
	})
	return list, err
}

// attributeField adds one field of an AttributeProto to a, or to values if the field is a list. The
// comments name the fields in onnx.proto.
func (r *reader) attributeField(a *Attribute, values *valueList, f field) (err error) {
	var text string
	switch f.number {
	case 1:
		a.Name, err = r.text(f, "an attribute's name")
	case 2: // f
		a.Text = float32Text(uint32(f.value))
	case 3: // i
		a.Text = strconv.FormatInt(int64(f.value), 10)
	case 4: // s
		a.Text, err = r.shown(f)
		a.Whole = f.span.Len() <= shownText
	case attributeTensor, attributeTensors:
		a.Text, a.Whole = "tensor", false
	case attributeSparseTensor, attributeSparseTensors:
		a.Text, a.Whole = "sparse tensor", false
	case attributeGraph, attributeGraphs:
		a.Text, a.Whole = "graph", false
	case 7: // floats
		err = r.floats(values, f)
	case 8: // ints
		err = r.eachInteger(f, "an attribute's integers", func(v int64) {
			if values.wants() {
				values.show(strconv.FormatInt(v, 10))
			}
		})
	case 9: // strings
		if values.wants() {
			text, err = r.shown(f)
			values.show(text)
		}
	case 14, 15: // tp, type_protos
		a.Text, a.Whole = "type", false
	case 21: // ref_attr_name
		text, err = r.text(f, "an attribute's reference")
		a.Text = "the function's " + text
	}
	return err
}

// floats adds a repeated float field to values, whether the field is packed or not.
func (r *reader) floats(values *valueList, f field) error {
	if f.kind == protowire.Fixed32Type {
		if values.wants() {
			values.show(float32Text(uint32(f.value)))
		}
		return nil
	}
	for offset := f.span.Start; offset+4 <= f.span.End; offset += 4 {
		b, err := r.peek(offset, 4)
		if err != nil {
			return err
		}
		v, n := protowire.ConsumeFixed32(b)
		if n < 0 {
			return &SyntaxError{offset, "an attribute's floats are cut short"}
		}
		if values.wants() {
			values.show(float32Text(v))
		}
	}
	return nil
}

func float32Text(bits uint32) string {
	return strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
}

// shownText is the maximum number of bytes that are shown of a text.
const shownText = 64

// shown quotes the beginning of a text, which may be long or binary.
func (r *reader) shown(f field) (string, error) {
	if err := f.wants(protowire.BytesType, "an attribute's text"); err != nil || f.span.Len() == 0 {
		return `""`, err
	}
	b, err := r.peek(f.span.Start, int(min(f.span.Len(), shownText)))
	if f.span.Len() > shownText {
		return strconv.Quote(string(b)) + "…", err
	}
	return strconv.Quote(string(b)), err
}

// valueList formats a list. It counts the values that it does not show.
type valueList struct {
	list []string
	more int
}

// wants reports whether to show the next value. If wants returns false, it counts the value as not
// shown.
func (l *valueList) wants() bool {
	if len(l.list) == shownValues {
		l.more++
		return false
	}
	return true
}

func (l *valueList) show(text string) { l.list = append(l.list, text) }

func (l *valueList) String() string {
	text := strings.Join(l.list, ",")
	if l.more > 0 {
		text += fmt.Sprintf(",… %d more", l.more)
	}
	return "[" + text + "]"
}
