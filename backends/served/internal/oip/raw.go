package oip

import (
	"encoding/binary"

	"github.com/modelparity/modelparity/tensor"
)

// Raw encodes a tensor as the protocol's raw bytes: little-endian elements, or strings, each
// preceded by its length in four bytes.
func Raw(t *tensor.Tensor) []byte {
	if t.ElementType() != tensor.String {
		return t.Bytes()
	}
	var raw []byte
	for _, s := range t.Strings() {
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(s))), s...)
	}
	return raw
}

// FromRaw decodes a tensor from the protocol's raw bytes.
func FromRaw(datatype string, shape []int64, raw []byte) (*tensor.Tensor, error) {
	elem, dims, n, err := declared(datatype, shape)
	if err != nil {
		return nil, err
	}
	if elem != tensor.String {
		if want := elem.Bytes(n); want != len(raw) {
			return nil, Broken("%s%v takes %d bytes, got %d", datatype, shape, want, len(raw))
		}
		return tensor.FromBytes(elem, dims, raw)
	}
	if n > len(raw)/4 {
		return nil, Broken("%d strings in %d bytes", n, len(raw))
	}
	values := make([]string, n)
	for i := range values {
		if len(raw) < 4 {
			return nil, Broken("string %d of %d begins after the end of the data", i, n)
		}
		length := binary.LittleEndian.Uint32(raw)
		if raw = raw[4:]; uint64(length) > uint64(len(raw)) {
			return nil, Broken("string %d has %d bytes, but only %d are left", i, length, len(raw))
		}
		values[i], raw = string(raw[:length]), raw[length:]
	}
	if len(raw) > 0 {
		return nil, Broken("%d bytes follow the last of %d strings", len(raw), n)
	}
	return tensor.FromStrings(dims, values)
}

// declared checks a type and a shape that a server sent, and returns them with the number of
// elements.
func declared(datatype string, shape []int64) (tensor.ElementType, tensor.Shape, int, error) {
	elem := ElementType(datatype)
	if elem == tensor.Invalid {
		return elem, nil, 0, Broken("unknown datatype %.40q", datatype)
	}
	dims := make(tensor.Shape, len(shape))
	for i, d := range shape {
		if d < 0 || int64(int(d)) != d {
			return elem, nil, 0, Broken("shape %v", shape)
		}
		dims[i] = int(d)
	}
	n, err := dims.Elements()
	if err != nil {
		return elem, nil, 0, Broken("%w", err)
	}
	return elem, dims, n, nil
}
