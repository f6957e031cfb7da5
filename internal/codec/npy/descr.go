package npy

import (
	"fmt"
	"math"
	"strconv"

	"github.com/modelparity/modelparity/tensor"
)

// descr is an element type in NumPy's notation: byte order, kind, and size.
type descr struct {
	text      string
	kind      byte // f i u b, U and S for text, V for raw bytes
	size      int  // in bytes, or in code points for U
	bigEndian bool
}

// maxItem is the maximum size of one element in bytes. It is so small that products of sizes cannot
// overflow.
const maxItem = math.MaxInt32

// elements maps a kind and a size to the element type. It lacks kinds for which the size does not
// determine the type.
var elements = map[byte]map[int]tensor.ElementType{
	'f': {2: tensor.Float16, 4: tensor.Float32, 8: tensor.Float64},
	'i': {1: tensor.Int8, 2: tensor.Int16, 4: tensor.Int32, 8: tensor.Int64},
	'u': {1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64},
	'b': {1: tensor.Bool},
}

// parseDescr parses a descriptor such as <f4. It rejects types that models cannot have: complex
// numbers, dates, Python objects and records.
func parseDescr(text string) (descr, error) {
	d := descr{text: text}
	rest := text
	if rest != "" && (rest[0] == '<' || rest[0] == '>' || rest[0] == '|' || rest[0] == '=') {
		d.bigEndian = rest[0] == '>'
		rest = rest[1:]
	}
	if rest == "?" {
		rest = "b1"
	}
	if rest == "" {
		return descr{}, fmt.Errorf("empty element type %q", text)
	}
	d.kind = rest[0]
	size, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil {
		return descr{}, fmt.Errorf("tensors cannot have the element type %q", text)
	}
	d.size = int(size)
	_, known := elements[d.kind][d.size]
	switch raw := d.kind == 'V' && (d.size == 1 || d.size == 2); {
	case d.isText() && d.bytes() > maxItem:
		return descr{}, fmt.Errorf("element type %q has %d bytes per element, over the limit of %d",
			text, d.bytes(), maxItem)
	case !d.isText() && !raw && !known:
		return descr{}, fmt.Errorf("tensors cannot have the element type %q", text)
	}
	return d, nil
}

func (d descr) isText() bool { return d.kind == 'U' || d.kind == 'S' }

// bytes returns the size of one element in the file.
func (d descr) bytes() int {
	if d.kind == 'U' {
		return 4 * d.size
	}
	return d.size
}

// descrOf returns the descriptor for a numeric element type.
func descrOf(elem tensor.ElementType) (string, bool) {
	for kind, sizes := range elements {
		for size, e := range sizes {
			if e != elem {
				continue
			}
			order := "<"
			if size == 1 {
				order = "|"
			}
			return order + string(kind) + strconv.Itoa(size), true
		}
	}
	switch {
	case elem == tensor.BFloat16:
		return "<V2", true
	case elem.Bits() > 0 && elem.Bits() <= 8: // ml_dtypes' types take one byte per element
		return "<V1", true
	}
	return "", false
}
