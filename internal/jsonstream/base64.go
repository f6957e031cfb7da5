package jsonstream

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	simd "github.com/segmentio/asm/base64"
)

// Base64 decodes a JSON string that contains padded base64 in the standard alphabet.
type Base64 struct {
	text  *Text
	rest  []byte // decoded bytes that did not fit the last read
	group [3]byte
	end   bool // padding was read, so nothing may follow
}

// NewBase64 returns a reader that decodes the base64 in text while the caller reads.
func NewBase64(text *Text) *Base64 { return &Base64{text: text} }

// Read reads the next bytes. It decodes directly from the document into p.
func (b *Base64) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.rest) > 0 {
		n := copy(p, b.rest)
		b.rest = b.rest[n:]
		return n, nil
	}
	if len(p) >= 3 && !b.end {
		groups, err := b.text.Plain(len(p)/3*4, 4)
		if err != nil {
			return 0, err
		}
		if len(groups) > 0 {
			return b.decode(p, groups)
		}
	}
	return b.single(p)
}

// decode decodes into p the complete groups of four characters in run, which has just been read.
func (b *Base64) decode(p, run []byte) (int, error) {
	after := b.text.Offset()
	n, err := simd.StdEncoding.Decode(p, run)
	if err != nil {
		// The error of the standard library contains the position.
		n, err = base64.StdEncoding.Decode(p, run)
	}
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return 0, fmt.Errorf("byte %d: not base64", after-int64(len(run))+int64(corrupt))
	}
	want := len(run) / 4 * 3
	for i := len(run); run[i-1] == '='; i-- {
		want--
	}
	if err != nil || n != want { // the standard library skips line breaks
		return 0, fmt.Errorf("byte %d: not base64", after-int64(len(run)))
	}
	b.end = run[len(run)-1] == '='
	return n, nil
}

// single decodes one group of four characters, some of which may be escaped.
func (b *Base64) single(p []byte) (int, error) {
	var quad [4]byte
	_, err := io.ReadFull(b.text, quad[:])
	switch {
	case err == io.ErrUnexpectedEOF:
		return 0, fmt.Errorf("byte %d: base64 ends within a group of four", b.text.Offset())
	case err != nil:
		return 0, err
	case b.end:
		return 0, fmt.Errorf("byte %d: base64 continues after its padding", b.text.Offset())
	}
	n, err := b.decode(b.group[:], quad[:])
	if err != nil {
		return 0, err
	}
	copied := copy(p, b.group[:n])
	b.rest = b.group[copied:n]
	return copied, nil
}
