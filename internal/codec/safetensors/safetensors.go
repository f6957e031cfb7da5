// Package safetensors reads and writes Hugging Face's .safetensors files: eight bytes with the
// length of a JSON header, the header, and the tensors' bytes
// (https://github.com/huggingface/safetensors#format).
//
// Files are not trusted: the header's size is limited, every error names the tensor, and before a
// tensor is created, all tensors are checked to lie within the file without overlaps or gaps.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/tensor"
)

// maxHeader is the maximum size of a header in bytes, as in the reference implementation.
const maxHeader = 100_000_000

// types maps the format's names to element types. Types smaller than a byte are missing, because
// files disagree on how they are packed.
var types = map[string]tensor.ElementType{
	"BOOL": tensor.Bool, "U8": tensor.Uint8, "I8": tensor.Int8, "U16": tensor.Uint16,
	"I16": tensor.Int16, "U32": tensor.Uint32, "I32": tensor.Int32, "U64": tensor.Uint64,
	"I64": tensor.Int64, "F16": tensor.Float16, "BF16": tensor.BFloat16, "F32": tensor.Float32,
	"F64": tensor.Float64, "F8_E4M3": tensor.Float8E4M3FN, "F8_E5M2": tensor.Float8E5M2,
	"F8_E8M0": tensor.Float8E8M0,
}

// info describes one tensor, as in the header.
type info struct {
	Type    string       `json:"dtype"`
	Shape   tensor.Shape `json:"shape"`
	Offsets [2]int64     `json:"data_offsets"` // counted from the end of the header

	name string
}

// Decode reads a file that is in memory. The tensors are in header order and share data's memory if
// possible: do not write to data afterwards.
func Decode(data []byte) (*tensor.Set, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("safetensors: byte %d: the file ends before the header, whose "+
			"length is in bytes 0 to 7", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > maxHeader || length > uint64(len(data)-8) {
		return nil, fmt.Errorf("safetensors: byte 0: the header's length is given as %d bytes; "+
			"the rest of the file has %d, and the format allows %d", length, len(data)-8, maxHeader)
	}
	header, body := data[8:8+length], data[8+length:]
	set, err := decode(header, body)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return set, nil
}

// decode creates the tensors. Before that, it checks that they do not overlap, so that together
// they take no more memory than the file.
func decode(header, body []byte) (*tensor.Set, error) {
	var spent budget.Structure
	var infos []info
	err := parse(header, func(i info) error {
		infos = append(infos, i)
		return spent.Take(perTensor+len(i.name), int64(len(header)+len(body)))
	})
	if err == nil {
		err = fill(infos, int64(len(body)))
	}
	if err != nil {
		return nil, err
	}
	entries := make([]tensor.Entry, len(infos))
	for k, i := range infos {
		t, err := i.tensor(body)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", i.name, err)
		}
		entries[k] = tensor.Entry{Name: i.name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}

// perTensor estimates how many bytes of memory a tensor takes in addition to its name and data.
// maxEntry is the maximum size in bytes of a tensor's entry in the header.
const (
	perTensor = 400
	maxEntry  = 64 << 10
)

// parse calls visit for every tensor in the header, in order.
func parse(header []byte, visit func(info) error) error {
	d := jsonstream.NewDecoder(bytes.NewReader(header))
	err := d.Object(func(name string) error {
		if name == "__metadata__" {
			return d.Skip()
		}
		at := 8 + d.Offset()
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		if len(raw) > maxEntry {
			return fmt.Errorf("byte %d: tensor %q: its entry in the header has %d bytes, over the limit "+
				"of %d", at, name, len(raw), maxEntry)
		}
		i := info{name: name}
		if err := json.Unmarshal(raw, &i); err != nil {
			return fmt.Errorf("byte %d: tensor %q: %w", at, name, err)
		}
		return visit(i)
	})
	if err != nil {
		return err
	}
	return d.End()
}

// tensor returns the tensor that i describes. Its bytes are a slice of body; see [fill].
func (i info) tensor(body []byte) (*tensor.Tensor, error) {
	elem, known := types[i.Type]
	if !known {
		return nil, fmt.Errorf("tensors cannot have the element type %q", i.Type)
	}
	data := body[i.Offsets[0]:i.Offsets[1]]
	if elem == tensor.Bool {
		for at, b := range data {
			if b > 1 {
				return nil, fmt.Errorf("element %d is a bool with the value %d", at, b)
			}
		}
	}
	return tensor.FromBytes(elem, i.Shape, data)
}

// fill returns an error unless the tensors fill the data exactly: no tensor may end after the data,
// tensors may not overlap, and every byte must belong to a tensor. size is the data's length.
func fill(infos []info, size int64) error {
	at := int64(0)
	for _, i := range slices.SortedFunc(slices.Values(infos), func(a, b info) int {
		return slices.Compare(a.Offsets[:], b.Offsets[:])
	}) {
		start, end := i.Offsets[0], i.Offsets[1]
		if start != at || end < start || end > size {
			return fmt.Errorf("tensor %q: its data_offsets are [%d, %d], but its data must start at %d "+
				"and end at %d or before", i.name, start, end, at, size)
		}
		at = end
	}
	if at != size {
		return fmt.Errorf("the last tensor ends at byte %d of the data, but the data has %d", at, size)
	}
	return nil
}

// Write writes the tensors of set in order. It returns an error if the format lacks a tensor's
// element type, such as strings.
func Write(w io.Writer, set *tensor.Set) error {
	var header strings.Builder
	at := int64(0)
	for name, t := range set.All() {
		i := info{Type: nameOf(t.ElementType()), Shape: t.Shape(),
			Offsets: [2]int64{at, at + int64(len(t.Bytes()))}}
		if i.Type == "" {
			return fmt.Errorf("safetensors: tensor %q: no support for %v", name, t.ElementType())
		}
		member, err := json.Marshal(map[string]info{name: i})
		if err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
		fmt.Fprintf(&header, ",%s", member[1:len(member)-1]) // without the braces
		at = i.Offsets[1]
	}
	text := "{" + strings.TrimPrefix(header.String(), ",") + "}"
	text += strings.Repeat(" ", (8-len(text)%8)%8) // aligns the data
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if _, err := w.Write(append(start, text...)); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	for name, t := range set.All() {
		if _, err := w.Write(t.Bytes()); err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
	}
	return nil
}

// nameOf returns the format's name for an element type, or "" if the format lacks the type.
func nameOf(elem tensor.ElementType) string {
	for name, e := range types {
		if e == elem {
			return name
		}
	}
	return ""
}
