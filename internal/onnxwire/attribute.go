package onnxwire

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Attribute is one attribute of a node, as text for people.
type Attribute struct {
	Name  string
	Text  string // "[3,3]", "0.5", `"SAME_UPPER"`, "tensor", "graph"
	Whole bool   // Text says all there is; a tensor, a graph and a long list are more than theirs
	Span  Span   // of the AttributeProto
}

// shownValues is how many values of a list an attribute's text shows.
const shownValues = 8

// Attributes reads the attributes of the NodeProto at span, which was scanned before.
func Attributes(src Source, span Span) ([]Attribute, error) {
	r := newReader(src)
	var list []Attribute
	err := r.fields(span, func(f field) error {
		if f.number != nodeAttribute {
			return nil
		}
		a := Attribute{Span: f.span, Whole: true}
		values := valueList{}
		err := r.fields(f.span, func(f field) error { return r.attributeField(&a, &values, f) })
		if a.Text == "" { // a single value, or a tensor, says more than a list
			a.Text, a.Whole = values.String(), values.more == 0
		}
		list = append(list, a)
		return err
	})
	return list, err
}

// attributeField adds what one field of an AttributeProto says.
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
		text, err = r.text(f, "an attribute's text")
		a.Text, a.Whole = quoted(text), len(text) <= shownText
	case attributeTensor, attributeTensors:
		a.Text, a.Whole = "tensor", false
	case attributeSparseTensor, attributeSparseTensors:
		a.Text, a.Whole = "sparse tensor", false
	case attributeGraph, attributeGraphs:
		a.Text, a.Whole = "graph", false
	case 7: // floats
		err = r.floats(values, f)
	case 8: // ints
		var ints []int64
		ints, err = r.integers(nil, f, "an attribute's integers")
		for _, v := range ints {
			values.add(strconv.FormatInt(v, 10))
		}
	case 9: // strings
		text, err = r.text(f, "an attribute's text")
		values.add(quoted(text))
	case 14, 15: // tp, type_protos
		a.Text, a.Whole = "type", false
	case 21: // ref_attr_name
		text, err = r.text(f, "an attribute's reference")
		a.Text = "the function's " + text
	}
	return err
}

// floats adds a repeated float field, whether packed or not.
func (r *reader) floats(values *valueList, f field) error {
	if f.kind == protowire.Fixed32Type {
		values.add(float32Text(uint32(f.value)))
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
		values.add(float32Text(v))
	}
	return nil
}

func float32Text(bits uint32) string {
	return strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
}

// shownText is how many bytes of a text are shown.
const shownText = 64

// quoted is a text that may be binary and long.
func quoted(text string) string {
	if len(text) > shownText {
		return strconv.Quote(text[:shownText]) + "…"
	}
	return strconv.Quote(text)
}

// valueList is the text of a list; it counts what it does not show.
type valueList struct {
	shown []string
	more  int
}

func (l *valueList) add(text string) {
	if len(l.shown) < shownValues {
		l.shown = append(l.shown, text)
	} else {
		l.more++
	}
}

func (l *valueList) String() string {
	text := strings.Join(l.shown, ",")
	if l.more > 0 {
		text += fmt.Sprintf(",… %d more", l.more)
	}
	return "[" + text + "]"
}
