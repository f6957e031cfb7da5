package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// File is an .npy file with one tensor, in two parts: the header and the data. If the tensor's
// memory already has the layout of the file, Data shares that memory.
type File struct {
	Header []byte
	Data   []byte
}

// Len returns the size of the file in bytes.
func (f File) Len() int { return len(f.Header) + len(f.Data) }

// Layout returns t in the form that NumPy writes: version 1.0, row-major, little-endian, with the
// data starting at a multiple of 64 bytes. Types that NumPy lacks are stored as ml_dtypes stores
// them: bfloat16 as <V2, narrower types as <V1 with one element per byte. Strings become
// fixed-width text; a string that ends in NUL is an error, because the format would drop the NUL.
func Layout(t *tensor.Tensor) (File, error) {
	if len(t.Shape()) > maxRank {
		return File{}, fmt.Errorf("npy: NumPy has at most %d dimensions, got %d",
			maxRank, len(t.Shape()))
	}
	if t.ElementType() == tensor.String {
		d, err := textDescr(t.Strings())
		if err != nil {
			return File{}, err
		}
		return File{Header: headerOf(d.text, t.Shape()), Data: cells(t.Strings(), d)}, nil
	}
	name, known := descrOf(t.ElementType())
	if !known {
		return File{}, fmt.Errorf("npy: no tensor to write")
	}
	data := t.Bytes()
	if packs(t.ElementType()) {
		data = unpacked(t)
	}
	return File{Header: headerOf(name, t.Shape()), Data: data}, nil
}

// Write writes t as an .npy file; see [Layout].
func Write(w io.Writer, t *tensor.Tensor) error {
	file, err := Layout(t)
	if err != nil {
		return err
	}
	if _, err = w.Write(file.Header); err == nil {
		_, err = w.Write(file.Data)
	}
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	return nil
}

// headerOf returns the header that NumPy would write, byte for byte. The header ends in blanks that
// align the data.
func headerOf(name string, shape tensor.Shape) []byte {
	dims := strings.ReplaceAll(strings.Trim(shape.String(), "[]"), ",", ", ")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", name, dims)
	// NumPy reserves room for the first dimension to grow to 21 digits.
	if len(shape) > 0 {
		text += strings.Repeat(" ", 21-len(fmt.Sprint(shape[0])))
	}
	const before = len(magic) + 4
	total := (before + len(text) + 1 + 63) / 64 * 64
	text += strings.Repeat(" ", total-before-len(text)-1) + "\n"

	out := make([]byte, 0, total)
	out = append(out, magic+"\x01\x00"...)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(out, text...)
}

// unpacked returns t's elements, each in the lowest bits of a separate byte, as ml_dtypes stores
// them.
func unpacked(t *tensor.Tensor) []byte {
	bits := t.ElementType().Bits()
	per := 8 / bits
	out, data := make([]byte, t.Len()), t.Bytes()
	for i := range out {
		out[i] = data[i/per] >> (bits * (i % per)) & (1<<bits - 1)
	}
	return out
}
