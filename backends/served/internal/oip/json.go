package oip

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/pattern"
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

// values returns a tensor's elements as a flat JSON list. Numbers have enough digits for a server
// to parse them as float64, round them to the element type, and get the same elements.
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
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("JSON cannot represent %.40q; send the tensors in binary "+
			"(served.Binary), or by gRPC", s)
	}
	return json.Marshal(s)
}

// response is the JSON of the answer to an inference request.
type response struct {
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

// Response decodes the body of the answer to an inference request. jsonLength is the number of
// bytes of JSON at the start of the body, or -1 if the whole body is JSON.
func Response(body []byte, jsonLength int) (Answer, error) {
	if jsonLength < -1 || jsonLength > len(body) {
		return Answer{}, Broken("the header says that %d of %d bytes are JSON", jsonLength, len(body))
	}
	tail := []byte(nil)
	if jsonLength >= 0 {
		body, tail = body[:jsonLength], body[jsonLength:]
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
	return Answer{Version: r.Version, Outputs: set}, nil
}

// notFinite matches NaN and infinities. It also matches whole strings, so that the caller can skip
// strings that contain such words.
var notFinite = pattern.New(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// lenient puts quotes around NaN and infinities, which servers written in Python send without
// quotes.
func lenient(body []byte) []byte {
	if !bytes.Contains(body, []byte("NaN")) && !bytes.Contains(body, []byte("Infinity")) {
		return body
	}
	return notFinite.Regexp().ReplaceAllFunc(body, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		return slices.Concat([]byte{'"'}, found, []byte{'"'})
	})
}

// fromJSON decodes a tensor whose elements are a flat or nested JSON list.
func fromJSON(datatype string, shape []int64, data []byte) (*tensor.Tensor, error) {
	elem, dims, n, err := declared(datatype, shape)
	if err != nil {
		return nil, err
	}
	items, err := flat(data)
	if err != nil {
		return nil, err
	}
	if len(items) != n {
		return nil, Broken("the data has %d elements, but the shape has %d", len(items), n)
	}
	if elem == tensor.String {
		texts := make([]string, n)
		for i, item := range items {
			var ok bool
			if texts[i], ok = item.(string); !ok {
				return nil, Broken("element %d, %.40q, is not a string", i, fmt.Sprint(item))
			}
		}
		return tensor.FromStrings(dims, texts)
	}
	wide := elem
	if elem.IsFloat() {
		wide = tensor.Float64
	}
	raw := make([]byte, 0, wide.Bytes(n))
	for i, item := range items {
		bits, err := number(wide, fmt.Sprint(item))
		if err != nil {
			return nil, Broken("element %d: %w", i, err)
		}
		raw = append(raw, binary.LittleEndian.AppendUint64(nil, bits)[:wide.Bytes(1)]...)
	}
	t, err := tensor.FromBytes(wide, dims, raw)
	if err != nil || wide == elem {
		return t, err
	}
	return t.Convert(elem)
}

// number parses a number or a boolean, which may be written as true, false, 0 or 1, and returns the
// element's bits.
func number(elem tensor.ElementType, s string) (uint64, error) {
	switch {
	case elem == tensor.Bool && (s == "true" || s == "1"):
		return 1, nil
	case elem == tensor.Bool && (s == "false" || s == "0"):
		return 0, nil
	case elem == tensor.Bool:
		return 0, fmt.Errorf("%.40q is neither true nor false", s)
	case elem == tensor.Float64:
		v, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(v), err
	case elem.IsSigned():
		v, err := strconv.ParseInt(s, 10, elem.Bits())
		return uint64(v), err
	}
	return strconv.ParseUint(s, 10, elem.Bits())
}

// flat returns the elements of a JSON list, which may be nested.
func flat(data []byte) (items []any, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	if err := memory.Allows(40 * uint64(len(data))); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // integers of 64 bits do not fit in a float64
	var all any
	if err := decoder.Decode(&all); err != nil {
		return nil, Broken("%w", err)
	}
	var add func(any)
	add = func(v any) {
		list, nested := v.([]any)
		if !nested {
			items = append(items, v)
		}
		for _, inner := range list {
			add(inner)
		}
	}
	add(all)
	return items, nil
}
