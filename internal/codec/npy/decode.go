package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// Array is the content of one .npy file: a tensor, or raw bytes whose element type is unknown.
type Array struct {
	header header
	data   []byte     // row-major; numbers little-endian
	stored spill.Read // reads the data if it is not in memory; otherwise nil
}

// DecodeArray returns the array in an .npy file whose contents are data. The array shares data's
// memory if the byte order allows it, so do not write to data afterwards.
func DecodeArray(data []byte) (Array, error) {
	h, err := readHeader(bytes.NewReader(data))
	if err != nil {
		return Array{}, fmt.Errorf("npy: %w", err)
	}
	rest := data[h.size:]
	if len(rest) != h.bytes() {
		return Array{}, fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, but the file has %d",
			h.size, h.shape, h.descr.text, h.bytes(), len(rest))
	}
	return arrayOf(h, rest, false)
}

// Read reads the array in r. It is an error if more bytes follow. limit is the maximum number of
// bytes that r can return, such as the size of its file: a header that claims more is rejected
// before memory is allocated.
func Read(r io.Reader, limit int64) (Array, error) { return ReadKeeping(r, limit, nil) }

// ReadKeeping is like [Read], but can also read an array that is larger than memory: keeper decides
// whether to write the data to disk while it is read. A nil keeper keeps everything in memory.
// Text, and data that must be reordered, always stays in memory.
func ReadKeeping(r io.Reader, limit int64, keeper *spill.Keeper) (Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return Array{}, fmt.Errorf("npy: %w", err)
	}
	if left := limit - int64(h.size); int64(h.bytes()) > left {
		return Array{}, fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, but at most %d follow",
			h.size, h.shape, h.descr.text, h.bytes(), max(left, 0))
	}
	if keeper != nil && h.asTensor() {
		read, n, err := keeper.Take(r, h.bytes(), h.sound)
		if err != nil {
			return Array{}, h.short(n, err)
		}
		if read != nil {
			return Array{header: h, stored: read}, h.ends(r)
		}
	}
	data := make([]byte, h.bytes())
	memory.Large(data)
	if n, err := io.ReadFull(r, data); err != nil {
		return Array{}, h.short(n, err)
	}
	if err := h.ends(r); err != nil {
		return Array{}, err
	}
	return arrayOf(h, data, true)
}

// ends returns an error if more bytes follow the data. It also makes readers of archives verify the
// data's checksum, which they do at the end.
func (h header) ends(r io.Reader) error {
	n, err := io.ReadFull(r, make([]byte, 1))
	switch {
	case n > 0:
		return fmt.Errorf("npy: byte %d: the file continues after the array's data", h.size+h.bytes())
	case err != io.EOF:
		return err
	}
	return nil
}

// short returns the error for data that ends after n bytes, or that contains an invalid value after
// them.
func (h header) short(n int, err error) error {
	if unsound := new(unsoundError); errors.As(err, &unsound) {
		return err
	}
	return fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, got %d: %w", h.size+n, h.shape,
		h.descr.text, h.bytes(), n, ended(err))
}

// asTensor reports whether the data already has the memory layout of a tensor.
func (h header) asTensor() bool {
	return !h.descr.isText() && !(h.fortran && len(h.shape) > 1 && h.n > 1) &&
		!(h.descr.bigEndian && h.descr.word() > 1)
}

// unsoundError reports a value that the element type does not allow.
type unsoundError struct{ at, value int }

func (e *unsoundError) Error() string {
	return fmt.Sprintf("npy: byte %d: a bool has the value %d", e.at, e.value)
}

// sound returns an error if part, a part of the data, contains an invalid value. at is the offset
// of part in the data, for the error.
func (h header) sound(at int, part []byte) error {
	if h.descr.kind == 'b' {
		for i, b := range part {
			if b > 1 {
				return &unsoundError{h.size + at + i, int(b)}
			}
		}
	}
	return nil
}

// arrayOf converts data to row-major, little-endian order. own is true if data may be overwritten;
// if it is false, arrayOf makes a copy if necessary.
func arrayOf(h header, data []byte, own bool) (Array, error) {
	width := h.descr.bytes()
	if err := h.sound(0, data); err != nil {
		return Array{}, err
	}
	if h.fortran && len(h.shape) > 1 && h.n > 1 {
		data, own = rowMajor(data, h.shape, width), true
	}
	if word := h.descr.word(); h.descr.bigEndian && word > 1 {
		if !own {
			data = bytes.Clone(data)
		}
		swap(data, word)
	}
	return Array{header: h, data: data}, nil
}

// word returns the size in bytes of the unit whose byte order matters: a number, or one code point
// of text.
func (d descr) word() int {
	switch d.kind {
	case 'U':
		return 4
	case 'S':
		return 1
	}
	return d.size
}

// swap reverses the bytes of every word.
func swap(data []byte, word int) {
	for ; len(data) >= word; data = data[word:] {
		slices.Reverse(data[:word])
	}
}

// rowMajor reorders data from column-major order, in which the first index runs fastest, to
// row-major order. width is the size of an element in bytes.
func rowMajor(data []byte, shape tensor.Shape, width int) []byte {
	strides := make([]int, len(shape)) // of the column-major data, in bytes
	for axis, stride := 0, width; axis < len(shape); axis++ {
		strides[axis] = stride
		stride *= shape[axis]
	}
	out := make([]byte, len(data))
	index := make([]int, len(shape))
	for to, from := 0, 0; to < len(out); to += width {
		copy(out[to:to+width], data[from:])
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis]++
			from += strides[axis]
			if index[axis] < shape[axis] {
				break
			}
			from -= strides[axis] * shape[axis]
			index[axis] = 0
		}
	}
	return out
}

// Shape returns the array's shape.
func (a Array) Shape() tensor.Shape { return a.header.shape }

// Descr returns the element type in NumPy's notation, such as "<f4".
func (a Array) Descr() string { return a.header.descr.text }

// Tensor returns the array as a tensor. For raw bytes it returns an error, because their element
// type is unknown.
func (a Array) Tensor() (*tensor.Tensor, error) {
	switch a.header.descr.kind {
	case 'V':
		return nil, fmt.Errorf("npy: byte 0: the file holds raw bytes (%s) without their element "+
			"type; save the array as another type, such as float32", a.Descr())
	case 'U', 'S':
		values, err := a.strings()
		if err != nil {
			return nil, err
		}
		return tensor.FromStrings(a.header.shape, values)
	}
	return a.tensor(elements[a.header.descr.kind][a.header.descr.size])
}

// tensor interprets the data, without converting it, as elements of type elem.
func (a Array) tensor(elem tensor.ElementType) (*tensor.Tensor, error) {
	if a.stored != nil {
		return spill.Tensor(elem, a.header.shape, a.header.bytes(), a.stored)
	}
	return tensor.FromBytes(elem, a.header.shape, a.data)
}

// bytes returns the data. If the data is on disk, bytes reads it.
func (a Array) bytes() []byte {
	if a.stored != nil {
		return a.stored(0, a.header.bytes())
	}
	return a.data
}

// Keep returns the array that a collection of iterations should store instead of a; see
// [spill.Keep]. Text always stays in memory.
func (a Array) Keep(k *spill.Keeper, first bool) Array {
	switch {
	case a.stored != nil || a.header.descr.isText():
	case first: // most runs have only one iteration
		k.Hold(len(a.data))
	default:
		if a.stored = k.Put(a.data); a.stored != nil {
			a.data = nil
		}
	}
	return a
}

// As returns the array as a tensor with the element type elem. Raw bytes can be read as any type of
// the same width. Types of 4 or 2 bits are read from one byte per element, as ml_dtypes stores
// them. If the array is not raw bytes, elem must be the type that the file names, or Invalid.
func (a Array) As(elem tensor.ElementType) (*tensor.Tensor, error) {
	if a.header.descr.kind != 'V' || elem == tensor.Invalid {
		t, err := a.Tensor()
		if err == nil && elem != tensor.Invalid && t.ElementType() != elem {
			return nil, fmt.Errorf("npy: byte 0: the file holds %v (%s), not %v",
				t.ElementType(), a.Descr(), elem)
		}
		return t, err
	}
	if packs(elem) && a.header.descr.size == 1 {
		return tensor.FromBytes(elem, a.header.shape, packed(a.bytes(), elem.Bits()))
	}
	if elem.Bits() != 8*a.header.descr.size {
		return nil, fmt.Errorf("npy: byte 0: raw bytes (%s) cannot be read as %v", a.Descr(), elem)
	}
	return a.tensor(elem)
}

// packs reports whether elements of the type share a byte.
func packs(elem tensor.ElementType) bool { return elem.Bits() > 0 && elem.Bits() < 8 }

// packed packs values, one per byte in data, into the given number of bits each. Within a byte, the
// first value has the lowest bits.
func packed(data []byte, bits int) []byte {
	per := 8 / bits
	out := make([]byte, (len(data)+per-1)/per)
	for i, b := range data {
		out[i/per] |= b & (1<<bits - 1) << (bits * (i % per))
	}
	return out
}
