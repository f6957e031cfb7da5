package onnxwire

import (
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Source provides the bytes of a model: a bytes.Reader, or an io.SectionReader over a file.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Span is a range of bytes of a [Source]: [Start, End).
type Span struct{ Start, End int64 }

// Len returns the number of bytes.
func (s Span) Len() int64 { return s.End - s.Start }

// SyntaxError is the error for bytes that are not the expected protobuf message.
type SyntaxError struct {
	Offset int64 // offset of the first wrong byte
	Reason string
}

// Error returns the byte offset and the reason.
func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// maxDepth is the maximum depth of nested graphs and types. protobuf's own parsers stop at 100
// nested messages, which are 33 graphs, since each nested graph also needs a node and an attribute.
const maxDepth = 33

// windowSize is the number of bytes that are read at once. It is small because nodes are small and
// weights are skipped.
const windowSize = 4096

// These constants limit the memory for a model's structure. The limit is three bytes for every two
// bytes of the model plus an amount that matters for small models: [allowance] bytes for each byte
// of the model, up to [room] bytes in total. The smallest node that can run, a Relu from x to y,
// has 14 bytes, and its span takes 16; an initializer has about 100 bytes and takes 250.
const (
	allowance = 16
	room      = 8 << 20
)

// reader reads a source through a small window.
type reader struct {
	src    Source
	window []byte
	at     int64 // offset of window[0]
	buffer []byte
	budget int64
	kept   int64 // the part of the charged memory that is never freed
}

// newReader returns a reader of at most size bytes at once.
func newReader(src Source, size int64) *reader {
	return &reader{src: src, buffer: make([]byte, min(windowSize, size)),
		budget: src.Size() + src.Size()/2 + min(room, src.Size()*allowance+64<<10)}
}

// charge subtracts the n bytes that the structure of the field at offset takes from the budget.
func (r *reader) charge(offset int64, n int) error {
	if r.budget -= int64(n); r.budget < r.kept {
		return &SyntaxError{offset, "too many objects for a model of this size"}
	}
	return nil
}

// peek returns between one and n bytes at offset. They are valid until peek is called again.
func (r *reader) peek(offset int64, n int) ([]byte, error) {
	have := r.at + int64(len(r.window)) - offset
	if offset < r.at || have < int64(n) {
		got, err := r.src.ReadAt(r.buffer, offset)
		if got == 0 {
			if errors.Is(err, io.EOF) {
				return nil, &SyntaxError{offset, "the file ends here"}
			}
			return nil, fmt.Errorf("byte %d: %w", offset, err)
		}
		r.window, r.at = r.buffer[:got], offset
	}
	b := r.window[offset-r.at:]
	return b[:min(len(b), n)], nil
}

// field is one field of a message. Only a number is decoded, into value; other values are at span.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // set if the field is a varint or fixed
	span   Span   // position of the value, without tag and length
	offset int64  // offset of the tag
}

// longestTag is the maximum length of a field's tag and length, or of its tag and a numeric value.
const longestTag = 20

// fields calls visit for every field of the message at span, in order.
func (r *reader) fields(span Span, visit func(field) error) error {
	for offset := span.Start; offset < span.End; {
		f, err := r.field(offset, span.End)
		if err != nil {
			return err
		}
		if err := visit(f); err != nil {
			return err
		}
		offset = f.span.End
	}
	return nil
}

// field reads the field at offset in a message that ends at end.
func (r *reader) field(offset, end int64) (field, error) {
	head, err := r.peek(offset, int(min(longestTag, end-offset)))
	if err != nil {
		return field{}, err
	}
	number, kind, n := protowire.ConsumeTag(head)
	// protowire accepts larger numbers than protobuf's parsers, which would truncate them.
	if n < 0 || number > protowire.MaxValidNumber {
		return field{}, &SyntaxError{offset, "no protobuf field starts here"}
	}
	f := field{number: number, kind: kind, offset: offset}
	start := offset + int64(n)
	rest := head[n:]
	switch kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(rest)
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(rest)
	case protowire.BytesType:
		f.value, n = protowire.ConsumeVarint(rest)
		if n >= 0 {
			return f.bytes(start+int64(n), end)
		}
	default:
		return field{}, &SyntaxError{offset, "a protobuf group, which ONNX does not use"}
	}
	if n < 0 {
		return field{}, &SyntaxError{offset, fmt.Sprintf("field %d is cut short", number)}
	}
	f.span = Span{start, start + int64(n)}
	return f, nil
}

// bytes completes a length-delimited field whose length is in f.value and whose value begins at
// start.
func (f field) bytes(start, end int64) (field, error) {
	if f.value > math.MaxInt64 || int64(f.value) > end-start {
		return field{}, &SyntaxError{f.offset, fmt.Sprintf(
			"truncated: field %d needs %d bytes, %d are left", f.number, f.value, end-start)}
	}
	f.span = Span{start, start + int64(f.value)}
	return f, nil
}

// wants returns an error if the field does not have the wire type that onnx.proto requires.
func (f field) wants(kind protowire.Type, what string) error {
	if f.kind != kind {
		return &SyntaxError{f.offset, fmt.Sprintf("%s has wire type %d, not %d", what, f.kind, kind)}
	}
	return nil
}

// maxText is the maximum length of a name in bytes. Documentation and attribute values may be
// longer.
const maxText = 1 << 20

func (r *reader) text(f field, what string) (string, error) {
	if err := f.wants(protowire.BytesType, what); err != nil {
		return "", err
	}
	if f.span.Len() > maxText {
		return "", &SyntaxError{f.offset, fmt.Sprintf("%s has %d bytes, over the limit of %d", what,
			f.span.Len(), maxText)}
	}
	n := int(f.span.Len())
	if n == 0 {
		return "", nil
	}
	if err := r.charge(f.offset, 16); err != nil { // the size of a short text
		return "", err
	}
	if n <= windowSize {
		b, err := r.peek(f.span.Start, n)
		if err == nil && len(b) < n {
			err = &SyntaxError{f.span.Start + int64(len(b)), "the file ends here"}
		}
		return string(b), err
	}
	if err := r.charge(f.offset, n); err != nil {
		return "", err
	}
	b := make([]byte, n)
	if _, err := r.src.ReadAt(b, f.span.Start); err != nil {
		return "", fmt.Errorf("byte %d: %w", f.span.Start, err)
	}
	return string(b), nil
}

// integer reads an integer or enum field.
func (f field) integer(what string) (int64, error) {
	return int64(f.value), f.wants(protowire.VarintType, what)
}

// message returns the span of the message that the field holds. It is an error if the field holds
// something else.
func (f field) message(what string) (Span, error) {
	return f.span, f.wants(protowire.BytesType, what)
}

// inside visits the fields of a message that is the value of f.
func (r *reader) inside(f field, what string, visit func(field) error) error {
	span, err := f.message(what)
	if err != nil {
		return err
	}
	return r.fields(span, visit)
}

// integers appends a repeated integer field to list, whether the field is packed or not.
func (r *reader) integers(list []int64, f field, what string) ([]int64, error) {
	var over error
	err := r.eachInteger(f, what, func(v int64) {
		if over == nil {
			list, over = add(r, list, f, v)
		}
	})
	return list, errors.Join(err, over)
}

// eachInteger calls give for each value of a repeated integer field, whether the field is packed or
// not.
func (r *reader) eachInteger(f field, what string, give func(int64)) error {
	if f.kind == protowire.VarintType {
		give(int64(f.value))
		return nil
	}
	if err := f.wants(protowire.BytesType, what); err != nil {
		return err
	}
	for offset := f.span.Start; offset < f.span.End; {
		b, err := r.peek(offset, int(min(10, f.span.End-offset)))
		if err != nil {
			return err
		}
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return &SyntaxError{offset, what + " is cut short"}
		}
		give(int64(v))
		offset += int64(n)
	}
	return nil
}
