package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

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

// parseHeader parses the header's Python dictionary. base is the dictionary's offset in the file.
func parseHeader(text string, base int) (header, error) {
	l := &literal{text: text, base: base}
	var h header
	var descrText string
	seen := map[string]bool{}
	l.expect('{')
	for !l.accept('}') {
		key := l.quoted()
		l.expect(':')
		if l.err == nil && seen[key] {
			l.fail("key %q occurs twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			descrText = l.quoted()
		case "fortran_order":
			h.fortran = l.boolean()
		case "shape":
			h.shape = l.tuple()
		default:
			l.fail("unknown key %q", key)
		}
		if !l.accept(',') {
			l.expect('}')
			break
		}
		if l.err != nil {
			break
		}
	}
	if l.err == nil && strings.Trim(l.text[l.at:], " \n\x00") != "" {
		l.fail("text after the closing brace")
	}
	if l.err == nil && len(seen) != 3 {
		l.fail("descr, fortran_order and shape are required")
	}
	if l.err != nil {
		return header{}, l.err
	}
	var err error
	if h.descr, err = parseDescr(descrText); err != nil {
		return header{}, fmt.Errorf("byte %d: header: %w", base, err)
	}
	if h.n, err = h.shape.Elements(); err != nil {
		return header{}, fmt.Errorf("byte %d: header: %w", base, err)
	}
	if h.descr.bytes() == 0 && h.n > 0 { // any number of elements would need no data
		return header{}, fmt.Errorf("byte %d: header: %s is text of width 0", base, h.descr.text)
	}
	if width := h.descr.bytes(); width > 0 && h.n > (1<<62)/width {
		return header{}, fmt.Errorf("byte %d: header: shape %v of %s does not fit in memory",
			base, h.shape, h.descr.text)
	}
	return h, nil
}

// literal parses the subset of Python literals that headers use. After an error it keeps that error
// and its byte offset, and ignores later errors.
type literal struct {
	text string
	at   int
	base int
	err  error
}

func (l *literal) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("byte %d: header: %s", l.base+l.at, fmt.Sprintf(format, args...))
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (l *literal) peek() byte {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

// accept consumes c if it is the next byte. After an error it accepts every byte, so that loops
// end.
func (l *literal) accept(c byte) bool {
	if l.err != nil {
		return true
	}
	if l.peek() != c || c == 0 {
		return false
	}
	l.at++
	return true
}

func (l *literal) expect(c byte) {
	if !l.accept(c) {
		l.fail("expected %q", c)
	}
}

// quoted parses a string in single or double quotes. Strings in headers contain no escapes.
func (l *literal) quoted() string {
	quote := l.peek()
	if quote != '\'' && quote != '"' {
		l.fail("expected a quoted string: record types are not supported")
		return ""
	}
	start := l.at + 1
	end := strings.IndexByte(l.text[start:], quote)
	if end < 0 {
		l.fail("a string has no closing quote")
		return ""
	}
	l.at = start + end + 1
	return l.text[start : start+end]
}

func (l *literal) boolean() bool {
	l.peek()
	for _, word := range []string{"True", "False"} {
		if strings.HasPrefix(l.text[l.at:], word) {
			l.at += len(word)
			return word == "True"
		}
	}
	l.fail("expected True or False")
	return false
}

// tuple parses (), (3,), (2, 3), and 3L, which Python 2 wrote.
func (l *literal) tuple() tensor.Shape {
	shape := tensor.Shape{}
	l.expect('(')
	for !l.accept(')') {
		l.peek()
		start := l.at
		for l.at < len(l.text) && l.text[l.at] >= '0' && l.text[l.at] <= '9' {
			l.at++
		}
		d, err := strconv.Atoi(l.text[start:l.at])
		if err != nil {
			l.fail("expected a dimension")
			break
		}
		if shape = append(shape, d); len(shape) > maxRank {
			l.fail("more than %d dimensions", maxRank)
		}
		l.accept('L')
		if !l.accept(',') {
			l.expect(')')
			break
		}
	}
	return shape
}
