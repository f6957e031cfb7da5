package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// Array is the content of one .npy file: a tensor, or raw bytes whose element type the file does
// not tell.
type Array struct {
	header header
	data   []byte     // row-major; numbers little-endian
	stored spill.Read // reads the data, where that is not in memory; else nil
}

// Decode is the tensor in an .npy file that is in memory. The tensor shares data's memory where
// the order of the bytes allows it: do not write to data afterwards.
func Decode(data []byte) (*tensor.Tensor, error) {
	array, err := DecodeArray(data)
	if err != nil {
		return nil, err
	}
	return array.Tensor()
}

// DecodeArray is [Decode] for files that may hold raw bytes.
func DecodeArray(data []byte) (Array, error) {
	h, err := readHeader(bytes.NewReader(data))
	if err != nil {
		return Array{}, fmt.Errorf("npy: %w", err)
	}
	rest := data[h.size:]
	if len(rest) != h.bytes() {
		return Array{}, fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, the file has %d",
			h.size, h.shape, h.descr.text, h.bytes(), len(rest))
	}
	return arrayOf(h, rest, false)
}

// Read is the array at the start of r, which is read no further than the array's last byte. limit
// is the most bytes that r can give, the size of its file for one: a header that announces more
// is refused before anything is allocated.
func Read(r io.Reader, limit int64) (Array, error) { return ReadKeeping(r, limit, nil) }

// ReadKeeping is [Read] of an array that may be larger than memory: keeper, which may be nil, says
// whether its data goes to disk at once. Data in another order than a tensor's never does, nor do
// texts.
func ReadKeeping(r io.Reader, limit int64, keeper *spill.Keeper) (Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return Array{}, fmt.Errorf("npy: %w", err)
	}
	if left := limit - int64(h.size); int64(h.bytes()) > left {
		return Array{}, fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, at most %d follow",
			h.size, h.shape, h.descr.text, h.bytes(), max(left, 0))
	}
	if keeper != nil && h.asTensor() {
		read, n, err := keeper.Take(r, h.bytes(), jsonstream.ReadFull, h.sound)
		if err != nil {
			return Array{}, h.short(n, err)
		}
		if read != nil {
			return Array{header: h, stored: read}, nil
		}
	}
	data := make([]byte, h.bytes())
	memory.Large(data)
	if n, err := jsonstream.ReadFull(r, data); err != nil {
		return Array{}, h.short(n, err)
	}
	return arrayOf(h, data, true)
}

// short is the error of data that ended, or was not sound, after n bytes.
func (h header) short(n int, err error) error {
	if unsound := new(unsoundError); errors.As(err, &unsound) {
		return err
	}
	return fmt.Errorf("npy: byte %d: %v of %s needs %d bytes of data, got %d: %w", h.size+n, h.shape,
		h.descr.text, h.bytes(), n, ended(err))
}

// asTensor reports whether the data lies as that of a tensor does.
func (h header) asTensor() bool {
	switch h.descr.kind {
	case 'U', 'S':
		return false
	}
	return !(h.fortran && len(h.shape) > 1 && h.n > 1) &&
		!(h.descr.bigEndian && h.descr.word() > 1)
}

// unsoundError is about data that its type does not have.
type unsoundError struct{ at, value int }

func (e *unsoundError) Error() string {
	return fmt.Sprintf("npy: byte %d: a bool of value %d", e.at, e.value)
}

// sound is an error for a part of the data, from byte at on, that its type does not have.
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

// arrayOf puts data into row-major, little-endian order; own says that it may be written to.
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

// word is the size of what byte order applies to: a number, or one code point of a text.
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
		for i, j := 0, word-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
}

// rowMajor copies elements from column-major (the first index runs fastest) to row-major order.
func rowMajor(data []byte, shape tensor.Shape, width int) []byte {
	strides := make([]int, len(shape)) // of the source, in bytes
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

// Shape is the array's shape.
func (a Array) Shape() tensor.Shape { return a.header.shape }

// Descr is the element type as the file names it: "<f4".
func (a Array) Descr() string { return a.header.descr.text }

// Tensor is the array as a tensor. Raw bytes are an error, because nothing says what they are.
func (a Array) Tensor() (*tensor.Tensor, error) {
	switch a.header.descr.kind {
	case 'V':
		return nil, fmt.Errorf("npy: byte 0: the file holds raw bytes (%s) and does not say of "+
			"which element type: save them as another type, such as float32", a.Descr())
	case 'U', 'S':
		values, err := a.strings()
		if err != nil {
			return nil, err
		}
		return tensor.FromStrings(a.header.shape, values)
	}
	return a.tensor(a.header.descr.element())
}

// tensor is the data as it lies, as a tensor of elem.
func (a Array) tensor(elem tensor.ElementType) (*tensor.Tensor, error) {
	if a.stored != nil {
		return tensor.FromStored(elem, a.header.shape, a.header.bytes(), a.stored)
	}
	return tensor.FromBytes(elem, a.header.shape, a.data)
}

// bytes is the data, read where it is not in memory.
func (a Array) bytes() []byte {
	if a.stored != nil {
		return a.stored(0, a.header.bytes())
	}
	return a.data
}

// Put returns the array with its data where put puts it: what put returns reads it again. Where
// that is nil the data stays in memory, and texts do.
func (a Array) Put(put func(data []byte) spill.Read) Array {
	if kind := a.header.descr.kind; a.stored == nil && kind != 'U' && kind != 'S' {
		if a.stored = put(a.data); a.stored != nil {
			a.data = nil
		}
	}
	return a
}

// As is the array as a tensor of a type that the caller knows. Raw bytes become any type of their
// width; types of 4 and 2 bits are read from one byte each, as ml_dtypes stores them. For any other
// array elem must be the type that the file names.
func (a Array) As(elem tensor.ElementType) (*tensor.Tensor, error) {
	if a.header.descr.kind != 'V' {
		t, err := a.Tensor()
		if err == nil && t.ElementType() != elem {
			return nil, fmt.Errorf("npy: byte 0: the file holds %v (%s), not %v",
				t.ElementType(), a.Descr(), elem)
		}
		return t, err
	}
	if packs(elem) && a.header.descr.size == 1 {
		return tensor.FromBytes(elem, a.header.shape, packed(a.bytes(), elem.Bits()))
	}
	if elem.Bits() != 8*a.header.descr.size {
		return nil, fmt.Errorf("npy: byte 0: raw bytes (%s) cannot be %v", a.Descr(), elem)
	}
	return a.tensor(elem)
}

// packs reports whether several elements of that type share a byte in a tensor.
func packs(elem tensor.ElementType) bool { return elem.Bits() > 0 && elem.Bits() < 8 }

// packed puts values of that many bits together, the first in the lowest bits.
func packed(data []byte, bits int) []byte {
	per := 8 / bits
	out := make([]byte, (len(data)+per-1)/per)
	for i, b := range data {
		out[i/per] |= b & (1<<bits - 1) << (bits * (i % per))
	}
	return out
}
