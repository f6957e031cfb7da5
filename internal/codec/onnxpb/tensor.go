package onnxpb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// segmentField is the field of TensorProto that makes it a segment of a larger tensor.
const segmentField protowire.Number = 3

// message is a decoded TensorProto.
type message struct {
	base     int64
	name     string
	dims     []uint64
	number   int32
	storage  protowire.Number // the field that contains the values
	parts    []field          // parts of that field, unless it contains raw data or strings
	raw      []byte
	strings  []string
	external bool
	packed   *budget.Packed
}

// Tensor decodes a TensorProto and returns its name, which may be empty, and its value. The tensor
// shares data's memory if possible: do not write to data afterwards. Tensor returns an error for
// external data and segments, which are only valid in a model.
func Tensor(data []byte) (string, *tensor.Tensor, error) {
	return tensorAt(data, 0, budget.NewPacked(int64(len(data))))
}

// tensorAt decodes a TensorProto. base is the message's offset in its file, for errors.
func tensorAt(data []byte, base int64, packed *budget.Packed) (string, *tensor.Tensor, error) {
	m := message{base: base, packed: packed}
	if err := fields(data, base, m.field); err != nil {
		return "", nil, fmt.Errorf("onnx tensor %q: %w", m.name, err)
	}
	t, err := m.tensor()
	if err != nil {
		return "", nil, fmt.Errorf("onnx tensor %q: byte %d: %w", m.name, base, err)
	}
	return m.name, t, nil
}

// maxRank is the maximum number of dimensions. NumPy's maximum is 64.
const maxRank = 255

// Estimates of how many bytes of memory the parts of a message take. They include the unused
// capacity of lists that grow.
const (
	perPart = 2 * int64(unsafe.Sizeof(field{}))
	perText = 4 * int64(unsafe.Sizeof("")) // per text, without its characters
	perItem = 400                          // per tensor
)

func (m *message) field(f field) (err error) {
	switch f.Number {
	case onnxwire.TensorDims:
		err = f.numbers(protowire.VarintType, func(v uint64) {
			if len(m.dims) <= maxRank {
				m.dims = append(m.dims, v)
			}
		})
		if err == nil && len(m.dims) > maxRank {
			err = fmt.Errorf("byte %d: more than %d dimensions", f.offset, maxRank)
		}
	case onnxwire.TensorType:
		m.number, err = int32(f.Value), f.is(protowire.VarintType)
	case onnxwire.TensorName:
		m.name, err = string(f.Bytes), f.is(protowire.BytesType)
	case segmentField:
		err = fmt.Errorf("byte %d: the message is only a segment of a tensor", f.offset)
	case onnxwire.TensorExternalData:
		m.external = true
	case onnxwire.TensorDataLocation:
		m.external = m.external || f.Value == onnxwire.ExternalLocation
	case rawData, stringData:
		if err = m.setStorage(f); err != nil {
			return err
		}
		if err = f.is(protowire.BytesType); f.Number == rawData {
			m.raw = f.Bytes
		} else {
			m.strings = append(m.strings, string(f.Bytes))
			if err == nil {
				err = m.packed.Take("its texts", perText)
			}
		}
	case floatData, int32Data, int64Data, doubleData, uint64Data:
		if err = m.setStorage(f); err == nil {
			m.parts = append(m.parts, f)
			err = m.packed.Take("its numbers", perPart)
		}
	}
	return err
}

// setStorage records that the field f contains the tensor's values. It returns an error if another
// field contains values too. It ignores empty fields, which some writers include.
func (m *message) setStorage(f field) error {
	if f.Type == protowire.BytesType && len(f.Bytes) == 0 && f.Number != stringData {
		return nil
	}
	if m.storage != 0 && m.storage != f.Number {
		return fmt.Errorf("byte %d: values are in field %d and field %d, but must be in one",
			f.offset, m.storage, f.Number)
	}
	m.storage = f.Number
	return nil
}

// tensor builds the tensor that the message describes.
func (m *message) tensor() (*tensor.Tensor, error) {
	if m.external {
		return nil, fmt.Errorf("its values are in a different file")
	}
	elem := ElementTypeOf(m.number)
	if elem == tensor.Invalid {
		return nil, fmt.Errorf("a tensor cannot have data type %d", m.number)
	}
	shape := make(tensor.Shape, len(m.dims))
	for i, dim := range m.dims {
		if dim > math.MaxInt {
			return nil, fmt.Errorf("dimension %d is negative", i)
		}
		shape[i] = int(dim)
	}
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if want := storage(elem); m.storage != 0 && m.storage != want &&
		(m.storage != rawData || elem == tensor.String) {
		return nil, fmt.Errorf("%v values are in field %d, expected field %d", elem, m.storage, want)
	}
	if elem == tensor.String {
		return tensor.FromStrings(shape, m.strings)
	}
	raw := m.raw
	if m.storage != rawData {
		if raw, err = m.bytes(elem, n); err != nil {
			return nil, err
		}
	}
	if elem == tensor.Bool {
		for i, b := range raw {
			if b > 1 {
				return nil, fmt.Errorf("element %d is a bool with the value %d", i, b)
			}
		}
	}
	return tensor.FromBytes(elem, shape, raw)
}

// bytes converts the numbers of a typed field to the elements of a tensor. If elements are smaller
// than a byte, each number in the field is one byte that contains several elements.
func (m *message) bytes(elem tensor.ElementType, n int) ([]byte, error) {
	width, count := elem.Bits()/8, n
	if width == 0 {
		width, count = 1, elem.Bytes(n)
	}
	has := 0
	if err := m.each(func(uint64) { has++ }); err != nil {
		return nil, err
	}
	if has == 0 && count > 0 {
		return nil, fmt.Errorf("%v: the data of %d elements is missing; if the weights were stripped, "+
			"use the complete model or reconstruct them first", elem, n)
	}
	if has != count {
		return nil, fmt.Errorf("%v: %d elements need %d numbers, got %d", elem, n, count, has)
	}
	if err := m.packed.Take("its numbers", int64(width)*int64(count)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, width*count)
	var wrong error
	i := 0
	err := m.each(func(v uint64) {
		// Negative integers are sign-extended to 64 bits in the field. Bit patterns of floats are not.
		beyond := v >> (8*width - 1) >> 1
		if elem.IsSigned() && elem.Bits() >= 8 && int64(v) < 0 {
			beyond = ^v >> (8*width - 1)
		} else if elem.IsSigned() && elem.Bits() >= 8 {
			beyond = v >> (8*width - 1)
		}
		if beyond != 0 && wrong == nil {
			wrong = fmt.Errorf("element %d is %d, which does not fit %v", i, int64(v), elem)
		}
		var whole [8]byte
		binary.LittleEndian.PutUint64(whole[:], v)
		out = append(out, whole[:width]...)
		i++
	})
	return out, errors.Join(err, wrong)
}

// each calls visit for each number in the field that contains the tensor's values.
func (m *message) each(visit func(uint64)) error {
	typ := protowire.VarintType
	switch m.storage {
	case floatData:
		typ = protowire.Fixed32Type
	case doubleData:
		typ = protowire.Fixed64Type
	}
	for _, part := range m.parts {
		if err := part.numbers(typ, visit); err != nil {
			return err
		}
	}
	return nil
}

// Append appends t to b, as a TensorProto with the given name. Values are stored as raw data, as in
// files written by ONNX's own tools.
func Append(b []byte, name string, t *tensor.Tensor) ([]byte, error) {
	number := NumberOf(t.ElementType())
	if number < 0 {
		return nil, fmt.Errorf("onnx tensor %q: the tensor is empty or ONNX lacks its type", name)
	}
	for _, dim := range t.Shape() {
		b = onnxwire.AppendVarint(b, onnxwire.TensorDims, uint64(dim))
	}
	b = onnxwire.AppendVarint(b, onnxwire.TensorType, uint64(number))
	for _, s := range t.Strings() {
		b = onnxwire.AppendText(b, stringData, s)
	}
	if name != "" {
		b = onnxwire.AppendText(b, onnxwire.TensorName, name)
	}
	if t.ElementType() != tensor.String {
		b = onnxwire.AppendMessage(b, rawData, t.Bytes())
	}
	return b, nil
}
