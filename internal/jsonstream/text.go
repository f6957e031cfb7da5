package jsonstream

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Text opens a string. The returned reader yields the string's characters as UTF-8, with escapes
// resolved. Read all of it before using the decoder again.
func (d *Decoder) Text() (*Text, error) {
	if err := d.want(String); err != nil {
		return nil, err
	}
	d.start++
	return &Text{d: d}, nil
}

// Text reads one string of the document.
type Text struct {
	d    *Decoder
	rest []byte // bytes of an escape that did not fit into the last read
	esc  [utf8.UTFMax]byte
	done bool
}

// Plain returns the next bytes up to an escape, the end of the string or the end of the buffer, but
// at most limit bytes and only a multiple of unit bytes. If fewer than unit bytes precede an escape
// or the end of the string, the result is empty. Plain copies nothing: the bytes are valid until
// the decoder is used again.
func (t *Text) Plain(limit, unit int) ([]byte, error) {
	d := t.d
	if t.done || len(t.rest) > 0 {
		return nil, nil
	}
	if !d.need(1) {
		return nil, d.failure()
	}
	run := d.buf[d.start:min(d.end, d.start+limit)]
	if i := bytes.IndexByte(run, '"'); i >= 0 {
		run = run[:i]
	}
	if i := bytes.IndexByte(run, '\\'); i >= 0 {
		run = run[:i]
	}
	run = run[:len(run)/unit*unit]
	d.start += len(run)
	return run, nil
}

// Offset returns the number of bytes of the document that have been read.
func (t *Text) Offset() int64 { return t.d.Offset() }

// Peek reports whether the string, as it is written in the document, starts with prefix. Call Peek
// before the first read.
func (t *Text) Peek(prefix string) bool {
	t.d.need(len(prefix))
	return bytes.HasPrefix(t.d.buf[t.d.start:t.d.end], []byte(prefix))
}

// Read reads the next characters.
func (t *Text) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(t.rest) == 0 {
		run, err := t.Plain(len(p), 1)
		if err != nil {
			return 0, err
		}
		if len(run) > 0 {
			if i := control(run); i >= 0 {
				return 0, fmt.Errorf("byte %d: control character in a string",
					t.Offset()-int64(len(run)-i))
			}
			return copy(p, run), nil
		}
		if t.done {
			return 0, io.EOF
		}
		if err := t.special(); err != nil {
			return 0, err
		}
		if t.done {
			return 0, io.EOF
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// control returns the index of the first control character in run, or -1. JSON requires control
// characters to be escaped.
func control(run []byte) int {
	return bytes.IndexFunc(run, func(r rune) bool { return r < ' ' })
}

// special reads the closing quote or one escape. It stores the escaped character in rest.
func (t *Text) special() error {
	d := t.d
	if !d.need(1) {
		return d.failure()
	}
	if d.buf[d.start] == '"' {
		d.start++
		t.done = true
		return nil
	}
	if !d.need(2) {
		return d.failure()
	}
	c := d.buf[d.start+1]
	if c == 'u' {
		r, err := t.unicode()
		if err != nil {
			return err
		}
		t.rest = t.esc[:utf8.EncodeRune(t.esc[:], r)]
		return nil
	}
	i := bytes.IndexByte([]byte(`"\/bfnrt`), c)
	if i < 0 {
		return d.Errorf(`unknown escape \%c`, c)
	}
	t.esc[0] = "\"\\/\b\f\n\r\t"[i]
	t.rest = t.esc[:1]
	d.start += 2
	return nil
}

// unicode reads \uXXXX and, if it is the first half of a surrogate pair, the second half. A half
// without the other becomes U+FFFD.
func (t *Text) unicode() (rune, error) {
	r, err := t.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	d := t.d
	if !d.need(2) || d.buf[d.start] != '\\' || d.buf[d.start+1] != 'u' {
		return utf8.RuneError, nil
	}
	low, err := t.hex()
	pair := utf16.DecodeRune(r, low)
	if err == nil && pair == utf8.RuneError {
		d.start -= len(`\uXXXX`) // it is not a second half: leave it in the buffer
	}
	return pair, err
}

func (t *Text) hex() (rune, error) {
	d := t.d
	if !d.need(6) {
		return 0, d.failure()
	}
	v, err := strconv.ParseUint(string(d.buf[d.start+2:d.start+6]), 16, 16)
	if err != nil {
		return 0, d.Errorf(`%q is not a valid escape`, d.buf[d.start:d.start+6])
	}
	d.start += 6
	return rune(v), nil
}
