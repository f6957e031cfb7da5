// Package jsonstream reads JSON of any size piece by piece. It exists for strings of a gigabyte:
// [Decoder.Text] gives such a string as a reader, where encoding/json and its kin first put all of
// it into memory. Beyond JSON it reads the NaN, Infinity and -Infinity that Python writes.
//
// The caller walks the document in step with it, and every error names the byte it happened at.
package jsonstream

import (
	"fmt"
	"io"
	"math"
	"os"
)

// Kind is what the next value is.
type Kind byte

// The kinds of value.
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0' // NaN and the infinities among them
	Bool   Kind = 't'
	Null   Kind = 'n'
)

// String names the kind in messages.
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
	window   = 256 << 10 // bytes of the document that are held at a time
	maxDepth = 1000      // of nested values: recursion must end
)

// Decoder reads one JSON document. The first error sticks.
type Decoder struct {
	r     io.Reader
	at    io.ReaderAt // the document from its first byte on, where it can be read at any place
	buf   []byte
	start int   // of what is not read yet, in buf
	end   int   // of what is filled, in buf
	base  int64 // of buf[0], in the document
	depth int
	err   error // of r

	raw  []byte // what Raw has of its value, up to mark
	mark int    // where the rest of it starts in buf; -1 when Raw is not at work
}

// NewDecoder reads the document that r holds. Of a document that can be read at any place, such as
// a file, long strings of base64 are decoded on all cores: see [Base64.Fill]. Where r is afterwards
// is not said.
func NewDecoder(r io.Reader) *Decoder {
	d := &Decoder{r: r, buf: make([]byte, window), mark: -1}
	if at := anywhere(r); at != nil {
		d.r, d.at = at, at
	}
	return d
}

// anywhere is the rest of r where it can be read at any place, or nil. Files, and bytes in memory,
// say how long they are; pipes and devices do not.
func anywhere(r io.Reader) *io.SectionReader {
	at, ok := r.(io.ReaderAt)
	seeker, seeks := r.(io.Seeker)
	if !ok || !seeks {
		return nil
	}
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return io.NewSectionReader(at, start, math.MaxInt64-start)
}

// jump goes to a byte of a document that can be read at any place, beyond what was read.
func (d *Decoder) jump(to int64) error {
	if ahead := to - d.base; ahead <= int64(d.end) {
		d.start = int(ahead)
		return nil
	}
	if _, err := d.r.(io.Seeker).Seek(to, io.SeekStart); err != nil {
		return fmt.Errorf("byte %d: %w", to, err)
	}
	d.base, d.start, d.end, d.err = to, 0, 0, nil
	return nil
}

// Offset is how many bytes of the document were read.
func (d *Decoder) Offset() int64 { return d.base + int64(d.start) }

// Errorf is an error at the current byte.
func (d *Decoder) Errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d: %w", d.Offset(), fmt.Errorf(format, args...))
}

// fill makes room in the window and reads more. It reports whether there is more.
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

// need makes n bytes of the window ready, and reports whether the document has them. n is small.
func (d *Decoder) need(n int) bool {
	for d.end-d.start < n {
		if !d.fill() {
			return false
		}
	}
	return true
}

// failure is the error for a document that ends too early or cannot be read.
func (d *Decoder) failure() error {
	at := d.base + int64(d.end)
	if d.err != nil && d.err != io.EOF {
		return fmt.Errorf("byte %d: %w", at, d.err)
	}
	return fmt.Errorf("byte %d: the document ends too early: %w", at, io.ErrUnexpectedEOF)
}

// next skips white space and returns the byte after it without reading it.
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

// Kind says what the next value is, without reading it.
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
	return 0, d.Errorf("%q does not start a value", c)
}

// want is an error unless the next value is of that kind.
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

// open reads the bracket that starts a value of that kind.
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

// another reads what separates the members of a value, and reports whether one follows.
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
		return false, d.Errorf("a comma with nothing after it")
	}
	return err == nil, err
}

// Object reads an object, calling member with each key in turn; member must read the value, or
// skip it.
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

// Array reads a list, calling element with the index of each element in turn; element must read
// the value, or skip it.
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

// Skip reads the next value and forgets it.
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

// Raw reads the next value and returns it as it stands in the document.
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

// End is an error unless the document ends here, white space aside.
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
