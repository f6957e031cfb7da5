// Package jsonstream reads JSON of any size piece by piece. Its purpose is to read strings of a
// gigabyte: [Decoder.Text] returns such a string as a reader, while encoding/json and similar
// packages first load all of it into memory. Package jsonstream also accepts NaN, Infinity and
// -Infinity, which Python writes.
//
// The caller reads the document in order, and every error contains the byte offset.
package jsonstream

import (
	"fmt"
	"io"
)

// Kind is the kind of a value.
type Kind byte

// The kinds of value.
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0' // including NaN and the infinities
	Bool   Kind = 't'
	Null   Kind = 'n'
)

// String returns the name of the kind for use in messages.
func (k Kind) String() string {
	switch k {
	case Object:
		return "an object"
	case Array:
		return "a list"
	case String:
		return "a string"
	case Number:
		return "a number"
	case Bool:
		return "a bool"
	case Null:
		return "null"
	}
	return fmt.Sprintf("%q", byte(k))
}

const (
	window   = 256 << 10 // number of bytes of the document in memory
	maxDepth = 1000      // maximum depth of nested values, to limit recursion
)

// Decoder reads one JSON document. It cannot be used after an error.
type Decoder struct {
	r     io.Reader
	buf   []byte
	start int   // start of the unread bytes in buf
	end   int   // end of the filled bytes in buf
	base  int64 // offset of buf[0] in the document
	depth int
	err   error // error of r

	raw  []byte // the beginning of the value that Raw reads, without the bytes from mark on
	mark int    // where the rest of that value starts in buf; -1 outside Raw
}

// NewDecoder returns a decoder for the document in r. The decoder may read more bytes from r than
// the document has.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: r, buf: make([]byte, window), mark: -1}
}

// Offset returns the number of bytes read.
func (d *Decoder) Offset() int64 { return d.base + int64(d.start) }

// Errorf returns an error that states the current byte offset.
func (d *Decoder) Errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d: %w", d.Offset(), fmt.Errorf(format, args...))
}

// fill makes room in the buffer and reads more bytes. It reports whether it read at least one.
func (d *Decoder) fill() bool {
	if d.start > 0 {
		if d.mark >= 0 {
			d.raw = append(d.raw, d.buf[d.mark:d.start]...)
			d.mark = 0
		}
		copy(d.buf, d.buf[d.start:d.end])
		d.base += int64(d.start)
		d.end -= d.start
		d.start = 0
	}
	for d.err == nil && d.end < len(d.buf) {
		n, err := d.r.Read(d.buf[d.end:])
		d.end += n
		d.err = err
		if n > 0 {
			return true
		}
	}
	return false
}

// need reads until the next n bytes are in the buffer, for small n. It returns false if the
// document ends earlier.
func (d *Decoder) need(n int) bool {
	for d.end-d.start < n {
		if !d.fill() {
			return false
		}
	}
	return true
}

// failure returns the error for a document that ends too early or cannot be read.
func (d *Decoder) failure() error {
	at := d.base + int64(d.end)
	if d.err != nil && d.err != io.EOF {
		return fmt.Errorf("byte %d: %w", at, d.err)
	}
	return fmt.Errorf("byte %d: the document ends too early: %w", at, io.ErrUnexpectedEOF)
}

// next skips white space and returns the next byte without consuming it.
func (d *Decoder) next() (byte, error) {
	for {
		for ; d.start < d.end; d.start++ {
			switch c := d.buf[d.start]; c {
			case ' ', '\t', '\r', '\n':
			default:
				return c, nil
			}
		}
		if !d.fill() {
			return 0, d.failure()
		}
	}
}

// Kind returns the kind of the next value without reading it.
func (d *Decoder) Kind() (Kind, error) {
	c, err := d.next()
	if err != nil {
		return 0, err
	}
	switch {
	case c == '{' || c == '[' || c == '"' || c == 'n':
		return Kind(c), nil
	case c == 't' || c == 'f':
		return Bool, nil
	case c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I':
		return Number, nil
	}
	return 0, d.Errorf("no value starts with %q", c)
}

// want returns an error if the next value does not have the given kind.
func (d *Decoder) want(kind Kind) error {
	got, err := d.Kind()
	if err != nil {
		return err
	}
	if got != kind {
		return d.Errorf("expected %v, got %v", kind, got)
	}
	return nil
}

// open reads the opening bracket of an object or a list.
func (d *Decoder) open(kind Kind) error {
	if err := d.want(kind); err != nil {
		return err
	}
	if d.depth++; d.depth > maxDepth {
		return d.Errorf("values are nested more than %d deep", maxDepth)
	}
	d.start++
	return nil
}

// another reads the separator before the next member of an object or list, and reports whether
// there is another member.
func (d *Decoder) another(first bool, closing byte) (bool, error) {
	c, err := d.next()
	switch {
	case err != nil:
		return false, err
	case c == closing:
		d.start++
		d.depth--
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, d.Errorf("expected ',' or %q, got %q", closing, c)
	}
	d.start++
	if c, err = d.next(); err == nil && c == closing {
		return false, d.Errorf("trailing comma")
	}
	return err == nil, err
}

// Object reads an object and calls member with each key; member must read or skip the value.
func (d *Decoder) Object(member func(key string) error) error {
	if err := d.open(Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := d.another(first, '}')
		if err != nil || !more {
			return err
		}
		key, err := d.String()
		if err != nil {
			return err
		}
		c, err := d.next()
		if err != nil {
			return err
		}
		if c != ':' {
			return d.Errorf("expected ':' after the key %.64q, got %q", key, c)
		}
		d.start++
		if err := member(key); err != nil {
			return err
		}
	}
}

// Array reads a list and calls element with the index of each element. element must read or skip
// the element.
func (d *Decoder) Array(element func(i int) error) error {
	if err := d.open(Array); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := d.another(i == 0, ']')
		if err != nil || !more {
			return err
		}
		if err := element(i); err != nil {
			return err
		}
	}
}

// Skip reads and discards the next value.
func (d *Decoder) Skip() error {
	kind, err := d.Kind()
	if err != nil {
		return err
	}
	switch kind {
	case Object:
		return d.Object(func(string) error { return d.Skip() })
	case Array:
		return d.Array(func(int) error { return d.Skip() })
	case String:
		text, err := d.Text()
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, text)
		return err
	case Number:
		_, err = d.Float()
	case Bool:
		_, err = d.Bool()
	case Null:
		err = d.Null()
	}
	return err
}

// Raw reads the next value and returns its JSON text.
func (d *Decoder) Raw() ([]byte, error) {
	if _, err := d.next(); err != nil {
		return nil, err
	}
	d.raw, d.mark = nil, d.start
	err := d.Skip()
	raw := append(d.raw, d.buf[d.mark:d.start]...)
	d.raw, d.mark = nil, -1
	return raw, err
}

// End returns an error if anything but white space follows.
func (d *Decoder) End() error {
	c, err := d.next()
	if err == nil {
		return d.Errorf("%q after the end of the document", c)
	}
	if d.err == io.EOF {
		return nil
	}
	return err
}
