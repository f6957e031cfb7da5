package oip

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// request is the JSON of an inference request.
type request struct {
	Parameters map[string]any `json:"parameters,omitempty"`
	Inputs     []input        `json:"inputs"`
}

type input struct {
	Name       string          `json:"name"`
	Datatype   string          `json:"datatype"`
	Shape      []int           `json:"shape"`
	Parameters map[string]any  `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

// Request returns the body of an inference request and the length of its JSON. The tensors are part
// of the JSON, or follow it in binary form if inBinary is true.
func Request(inputs *tensor.Set, inBinary bool) (body []byte, head int, err error) {
	r := request{Inputs: []input{}}
	var tail []byte
	if inBinary {
		r.Parameters = map[string]any{"binary_data_output": true}
	}
	for name, t := range inputs.All() {
		datatype, err := Datatype(t.ElementType())
		if err != nil {
			return nil, 0, fmt.Errorf("input %q: %w", name, err)
		}
		in := input{Name: name, Datatype: datatype, Shape: append([]int{}, t.Shape()...)}
		if inBinary {
			raw := Raw(t)
			in.Parameters = map[string]any{"binary_data_size": len(raw)}
			tail = append(tail, raw...)
		} else if in.Data, err = values(t); err != nil {
			return nil, 0, fmt.Errorf("input %q: %w", name, err)
		}
		r.Inputs = append(r.Inputs, in)
	}
	if body, err = json.Marshal(r); err != nil {
		return nil, 0, err
	}
	return append(body, tail...), len(body), nil
}

// values returns a tensor's elements as a flat JSON list. Numbers have enough digits: a server that
// parses one as float64 and rounds it to the element type gets the same element.
func values(t *tensor.Tensor) ([]byte, error) {
	list := []byte{'['}
	for i := range t.Len() {
		if i > 0 {
			list = append(list, ',')
		}
		switch elem := t.ElementType(); {
		case elem == tensor.String:
			text, err := text(t.Strings()[i])
			if err != nil {
				return nil, err
			}
			list = append(list, text...)
		case elem == tensor.Bool:
			list = strconv.AppendBool(list, t.Float64At(i) != 0)
		case elem.IsInteger():
			list = append(list, t.Text(i)...)
		default:
			v := t.Float64At(i)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("JSON cannot represent %v; send the tensors in binary "+
					"(served.Binary), or by gRPC", v)
			}
			list = strconv.AppendFloat(list, v, 'g', -1, 64)
		}
	}
	return append(list, ']'), nil
}

// text returns a string as JSON, or an error if JSON cannot represent it.
func text(s string) ([]byte, error) {
	quoted, err := json.Marshal(s)
	var back string
	if err == nil {
		err = json.Unmarshal(quoted, &back)
	}
	if err == nil && back != s {
		err = fmt.Errorf("JSON cannot hold %.40q; send the tensors in binary (served.Binary), or "+
			"by gRPC", s)
	}
	return quoted, err
}

// response is the JSON of the answer to an inference request.
type response struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	Error   string `json:"error"`
	Outputs []struct {
		Value
		Parameters struct {
			Size *int64 `json:"binary_data_size"`
		} `json:"parameters"`
		Data json.RawMessage `json:"data"`
	} `json:"outputs"`
}

// Response decodes the body of the answer to an inference request. head is the length of the JSON
// in the body, or -1 if the whole body is JSON.
func Response(body []byte, head int) (Answer, error) {
	if head < -1 || head > len(body) {
		return Answer{}, Broken("its header says that %d of %d bytes are JSON", head, len(body))
	}
	tail := []byte(nil)
	if head >= 0 {
		body, tail = body[:head], body[head:]
	}
	var r response
	if err := json.Unmarshal(lenient(body), &r); err != nil {
		return Answer{}, Broken("%w", err)
	}
	if r.Error != "" {
		return Answer{}, fmt.Errorf("the server says: %.2000s", r.Error)
	}
	entries := make([]tensor.Entry, len(r.Outputs))
	for i, out := range r.Outputs {
		var t *tensor.Tensor
		var err error
		if size := out.Parameters.Size; size != nil {
			if *size < 0 || *size > int64(len(tail)) {
				return Answer{}, Broken("output %.40q has %d bytes, but only %d are left", out.Name, *size,
					len(tail))
			}
			t, err = FromRaw(out.Datatype, out.Shape, tail[:*size:*size])
			tail = tail[*size:]
		} else {
			t, err = fromJSON(out.Datatype, out.Shape, out.Data)
		}
		if err != nil {
			return Answer{}, fmt.Errorf("output %.40q: %w", out.Name, err)
		}
		entries[i] = tensor.Entry{Name: out.Name, Tensor: t}
	}
	if len(tail) > 0 {
		return Answer{}, Broken("%d bytes follow the last output", len(tail))
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		return Answer{}, Broken("%w", err)
	}
	return Answer{Model: r.Model, Version: r.Version, Outputs: set}, nil
}

// lenient puts quotes around NaN and infinities, which servers written in Python send without
// quotes.
func lenient(body []byte) []byte {
	var out []byte
	from := 0
	for at := 0; at < len(body); at++ {
		switch body[at] {
		case '"':
			for at++; at < len(body) && body[at] != '"'; at++ {
				if body[at] == '\\' {
					at++
				}
			}
		case 'N', 'I', '-':
			for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(body[at:], []byte(word)) {
					out = append(append(append(append(out, body[from:at]...), '"'), word...), '"')
					at += len(word) - 1
					from = at + 1
					break
				}
			}
		}
	}
	if from == 0 {
		return body
	}
	return append(out, body[from:]...)
}

// fromJSON decodes a tensor whose elements are a nested or flat list.
func fromJSON(datatype string, shape []int64, data []byte) (*tensor.Tensor, error) {
	elem, dims, n, err := declared(datatype, shape)
	if err != nil {
		return nil, err
	}
	items, err := flat(data, n)
	if err != nil {
		return nil, err
	}
	switch {
	case elem == tensor.String:
		return each(dims, items, func(s string) (string, error) {
			var text string
			err := json.Unmarshal([]byte(s), &text)
			return text, err
		}, tensor.FromStrings)
	case elem.IsFloat():
		wide, err := each(dims, items, number, tensor.New[float64])
		if err != nil {
			return nil, err
		}
		return wide.Convert(elem)
	}
	return each(dims, items, func(s string) (uint64, error) { return integer(elem, s) },
		func(dims tensor.Shape, values []uint64) (*tensor.Tensor, error) {
			raw := make([]byte, 0, elem.Bytes(n))
			for _, v := range values {
				raw = append(raw, binary.LittleEndian.AppendUint64(nil, v)[:elem.Bytes(1)]...)
			}
			return tensor.FromBytes(elem, dims, raw)
		})
}

// integer parses an integer or a boolean. A boolean may be written as true, false, 0 or 1.
func integer(elem tensor.ElementType, s string) (uint64, error) {
	switch {
	case elem == tensor.Bool && (s == "true" || s == "1"):
		return 1, nil
	case elem == tensor.Bool && (s == "false" || s == "0"):
		return 0, nil
	case elem == tensor.Bool:
		return 0, fmt.Errorf("%.40q is neither true nor false", s)
	case elem.IsSigned():
		v, err := strconv.ParseInt(s, 10, elem.Bits())
		return uint64(v), err
	}
	return strconv.ParseUint(s, 10, elem.Bits())
}

func each[T any](dims tensor.Shape, items []string, parse func(string) (T, error),
	build func(tensor.Shape, []T) (*tensor.Tensor, error)) (*tensor.Tensor, error) {
	all := make([]T, len(items))
	for i, item := range items {
		var err error
		if all[i], err = parse(item); err != nil {
			return nil, Broken("element %d: %w", i, err)
		}
	}
	return build(dims, all)
}

// number parses a floating-point number, which may be in quotes that the function lenient added.
func number(s string) (float64, error) {
	var v jsonfloat.Float
	if err := v.UnmarshalJSON([]byte(s)); err != nil || s == "null" {
		return 0, fmt.Errorf("%.40s is not a number", s)
	}
	return float64(v), nil
}

// flat returns the n elements of a JSON list, which may be nested. data must be valid JSON or
// empty.
func flat(data []byte, n int) ([]string, error) {
	if n > len(data) { // an element takes a byte at least
		return nil, Broken("%d elements do not fit in %d bytes of JSON", n, len(data))
	}
	items := make([]string, 0, n)
	for at := 0; at < len(data); at++ {
		switch c := data[at]; c {
		case '[', ']', ',', ' ', '\n', '\r', '\t':
			continue
		case '{', ':':
			return nil, Broken("the data is not a list of elements")
		}
		from := at
		if data[at] == '"' {
			for at++; at < len(data) && data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
		} else {
			for at+1 < len(data) && !bytes.ContainsRune([]byte(" ,]\n\r\t"), rune(data[at+1])) {
				at++
			}
		}
		items = append(items, string(data[from:min(at+1, len(data))]))
		if len(items) > n {
			return nil, Broken("the data has more elements than the shape's %d", n)
		}
	}
	if len(items) != n {
		return nil, Broken("the data has %d elements, but the shape has %d", len(items), n)
	}
	return items, nil
}
