package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
	"github.com/modelparity/modelparity/tensor"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10 // NumPy writes 118 bytes for most arrays, and rejects 10,000 by default
	maxRank   = 64       // NumPy 2's own limit
)

// header is the part of the file before the data.
type header struct {
	descr   descr
	fortran bool
	shape   tensor.Shape
	n       int // number of elements
	size    int // size of magic number, version, length and text, in bytes
}

// bytes returns the size that the data must have according to the header.
func (h header) bytes() int { return h.n * h.descr.bytes() }

// readHeader reads r up to the first byte of data.
func readHeader(r io.Reader) (header, error) {
	var start [12]byte
	if n, err := io.ReadFull(r, start[:8]); err != nil {
		return header{}, fmt.Errorf("byte %d: the file ends within the magic number: %w", n, ended(err))
	}
	if string(start[:6]) != magic {
		return header{}, fmt.Errorf("byte 0: %q is not the magic number of an .npy file", start[:6])
	}
	width := 2 // the text's length has 16 bits in version 1 and 32 in later ones
	switch start[6] {
	case 1:
	case 2, 3:
		width = 4
	default:
		return header{}, fmt.Errorf("byte 6: .npy version %d.%d is not supported", start[6], start[7])
	}
	if n, err := io.ReadFull(r, start[8:8+width]); err != nil {
		return header{}, fmt.Errorf("byte %d: the file ends within the header: %w", 8+n, ended(err))
	}
	length := binary.LittleEndian.Uint32(start[8:]) // version 1 leaves the upper half zero
	if length > maxHeader {
		return header{}, fmt.Errorf("byte 8: the header has %d bytes, more than the limit of %d",
			length, maxHeader)
	}
	text := make([]byte, length)
	if n, err := io.ReadFull(r, text); err != nil {
		return header{}, fmt.Errorf("byte %d: the file ends within the header: %w",
			8+width+n, ended(err))
	}
	h, err := parseHeader(string(text), 8+width)
	h.size = 8 + width + len(text)
	return h, err
}

// ended turns io.EOF into io.ErrUnexpectedEOF, for a file that ends too early.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// member matches one member of the header's Python dictionary, with the comma or brace after it.
// Strings in headers contain no escapes.
var member = pattern.New(`^\s*(?:['"]descr['"]\s*:\s*['"]([^'"\\]*)['"]|` +
	`['"]fortran_order['"]\s*:\s*(True|False)|['"]shape['"]\s*:\s*\(([-\dL,\s]*)\))` +
	`\s*(?:,\s*\}|[,}])`)

// parseHeader parses the header's Python dictionary. base is the dictionary's offset in the file.
func parseHeader(text string, base int) (h header, err error) {
	rest, opened := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
	wrong := func(format string, args ...any) (header, error) {
		return header{}, fmt.Errorf("byte %d: header: %w", base+len(text)-len(rest),
			fmt.Errorf(format, args...))
	}
	keys := [...]string{"descr", "fortran_order", "shape"}
	var values [len(keys)]string
	var seen [len(keys)]bool
	for closed := !opened; !closed; {
		found := member.Regexp().FindStringSubmatchIndex(rest)
		if found == nil {
			return wrong("expected descr, fortran_order or shape; record types are not supported")
		}
		for k := range values {
			if start, end := found[2*k+2], found[2*k+3]; start >= 0 {
				if seen[k] {
					return wrong("key %q occurs twice", keys[k])
				}
				values[k], seen[k] = rest[start:end], true
			}
		}
		closed = rest[found[1]-1] == '}'
		rest = rest[found[1]:]
	}
	switch {
	case strings.Trim(rest, " \n\x00") != "":
		return wrong("text after the closing brace, or no opening brace")
	case slices.Contains(seen[:], false):
		return wrong("descr, fortran_order and shape are required")
	}
	rest = text // the next errors are about the dictionary as a whole
	h.fortran = values[1] == "True"
	if h.descr, err = parseDescr(values[0]); err != nil {
		return wrong("%w", err)
	}
	if h.shape, err = parseShape(values[2]); err != nil {
		return wrong("%w", err)
	}
	if h.n, err = h.shape.Elements(); err != nil {
		return wrong("%w", err)
	}
	if h.descr.bytes() == 0 && h.n > 0 { // any number of elements would need no data
		return wrong("%s is a string type of length 0", h.descr.text)
	}
	if width := h.descr.bytes(); width > 0 && h.n > (1<<62)/width {
		return wrong("shape %v of %s does not fit in memory", h.shape, h.descr.text)
	}
	return h, nil
}

// parseShape parses the inside of a Python tuple: nothing, "3,", "2, 3", and "3L", which Python 2
// wrote.
func parseShape(text string) (tensor.Shape, error) {
	shape := tensor.Shape{}
	dims := strings.Split(text, ",")
	if last := len(dims) - 1; strings.TrimSpace(dims[last]) == "" {
		dims = dims[:last]
	}
	if len(dims) > maxRank {
		return nil, fmt.Errorf("more than %d dimensions", maxRank)
	}
	for _, d := range dims {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(d), "L"))
		if err != nil {
			return nil, fmt.Errorf("%q is not a dimension", d)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
