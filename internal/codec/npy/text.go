package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/budget"
)

// strings returns the strings in fixed-width text. It removes the NULs with which NumPy pads them.
func (a Array) strings() ([]string, error) {
	width := a.header.descr.bytes()
	// A string needs a pointer, a length and a separate allocation for its characters.
	need := int64(a.header.n)*24 + int64(len(a.data))
	if limit := budget.Unpacked(int64(len(a.data))); need > limit {
		what := fmt.Sprintf("%d strings of %s", a.header.n, a.header.descr.text)
		return nil, fmt.Errorf("npy: %w", budget.Refuse(what, need, limit))
	}
	values := make([]string, a.header.n)
	for i := range values {
		cell := a.data[i*width : (i+1)*width]
		if a.header.descr.kind == 'S' {
			values[i] = strings.TrimRight(string(cell), "\x00")
			continue
		}
		var b strings.Builder
		for end := trimmed(cell); len(end) > 0; end = end[4:] {
			r := binary.LittleEndian.Uint32(end)
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return nil, fmt.Errorf("npy: byte %d: element %d: %#x is not a character",
					a.header.size+(i+1)*width-len(end), i, r)
			}
			b.WriteRune(rune(r))
		}
		values[i] = b.String()
	}
	return values, nil
}

// trimmed returns a cell of UTF-32 text without the NUL code points at its end.
func trimmed(cell []byte) []byte {
	for len(cell) > 0 && binary.LittleEndian.Uint32(cell[len(cell)-4:]) == 0 {
		cell = cell[:len(cell)-4]
	}
	return cell
}

// maxPadding is the maximum total padding of a tensor's cells, in bytes. Without this limit, one
// long string among a million short ones could fill the disk.
const maxPadding = 64 << 20

// textDescr chooses the encoding of strings: <U, whose cells are measured in characters, if all
// strings are valid UTF-8, and otherwise |S, whose cells are measured in bytes. It returns an error
// for a string that ends in NUL, which NumPy cannot represent.
func textDescr(values []string) (descr, error) {
	kind, width, total := byte('U'), 1, 0 // NumPy has no strings of length 0
	for i, s := range values {
		if strings.HasSuffix(s, "\x00") {
			return descr{}, fmt.Errorf("npy: string %d ends in NUL, which the format cannot store", i)
		}
		if !utf8.ValidString(s) {
			kind = 'S'
		}
		total += len(s)
	}
	for _, s := range values {
		n := len(s)
		if kind == 'U' {
			n = utf8.RuneCountInString(s)
		}
		width = max(width, n)
	}
	order := "<"
	if kind == 'S' {
		order = "|"
	}
	d := descr{text: fmt.Sprintf("%s%c%d", order, kind, width), kind: kind, size: width}
	if d.bytes() > maxItem || d.bytes() > 0 && len(values) > (4*total+maxPadding)/d.bytes() {
		return descr{}, fmt.Errorf("npy: %d strings of up to %d bytes need too much padding",
			len(values), width)
	}
	return d, nil
}

// cells stores each string in a cell of the width that d specifies.
func cells(values []string, d descr) []byte {
	width := d.bytes()
	out := make([]byte, len(values)*width)
	for i, s := range values {
		cell := out[i*width : (i+1)*width]
		if d.kind == 'S' {
			copy(cell, s)
			continue
		}
		for at, r := range []rune(s) {
			binary.LittleEndian.PutUint32(cell[4*at:], uint32(r))
		}
	}
	return out
}
