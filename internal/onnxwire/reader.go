package onnxwire

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/protofield"
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

// windowSize is the number of bytes that one read requests. It is small because nodes are small and
// weights are skipped.
const windowSize = 4096

// These constants limit the memory for a model's structure. The limit is three bytes for every two
// bytes of the model, plus an extra amount that matters for small models. The extra amount is 64
// KiB, plus [allowance] bytes for each byte of the model. The extra amount never exceeds [room]
// bytes. For comparison: the smallest node that can run, a Relu from x to y, takes 14 bytes of the
// model and 32 bytes of memory. An initializer takes about 100 bytes of the model and 250 bytes of
// memory.
const (
	allowance = 16
	room      = 8 << 20
)

// Reader reads messages that a scan has found, one at a time, into a small buffer. After the first
// error, a Reader returns zero values, and its iterations end. The caller checks [Reader.Err] once,
// when everything is read.
type Reader struct {
	src     Source
	err     error
	window  []byte
	at      int64 // offset of window[0]
	buffer  []byte
	budget  int64
	kept    int64 // the part of the charged memory that is never freed
	shallow bool  // whether to skip nodes' bodies, which were scanned before

	external []External // found by a scan
	lists    budget.Structure
}

// NewReader returns a Reader for messages of src, which must have been scanned.
func NewReader(src Source) *Reader {
	return &Reader{src: src, budget: math.MaxInt64, shallow: true}
}

// Failed returns a Reader that has stopped with an error.
func Failed(err error) *Reader { return &Reader{err: err} }

// Fork returns a Reader of the same messages whose errors do not stop r.
func (r *Reader) Fork() *Reader {
	fork := NewReader(r.src)
	fork.err = r.err
	return fork
}

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// Fail stops the reader with an error, unless err is nil or the reader has stopped already.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *Reader) wrong(offset int64, format string, args ...any) {
	r.Fail(&SyntaxError{offset, fmt.Sprintf(format, args...)})
}

// charge subtracts n bytes, the memory for the field at offset, from the reader's memory budget.
// The reader stops if the budget is used up.
func (r *Reader) charge(offset int64, n int) {
	if r.budget -= int64(n); r.budget < r.kept {
		r.wrong(offset, "too many objects for a model of this size")
	}
}

// peek returns between one and n bytes at offset. They are valid until peek is called again.
func (r *Reader) peek(offset int64, n int) []byte {
	if r.err != nil {
		return nil
	}
	have := r.at + int64(len(r.window)) - offset
	if offset < r.at || have < int64(n) {
		if r.buffer == nil {
			r.buffer = make([]byte, min(windowSize, r.src.Size()))
		}
		got, err := r.src.ReadAt(r.buffer, offset)
		switch {
		case got > 0:
			r.window, r.at = r.buffer[:got], offset
		case errors.Is(err, io.EOF):
			r.wrong(offset, "the file ends here")
			return nil
		default:
			r.Fail(fmt.Errorf("byte %d: %w", offset, err))
			return nil
		}
	}
	b := r.window[offset-r.at:]
	return b[:min(len(b), n)]
}

// Take charges n bytes to the memory budget of the reader, for a list in which the caller stores
// what it reads. The reader stops if the total is too large for a file of this size; see package
// budget.
func (r *Reader) Take(n int) {
	if r.err == nil {
		r.err = r.lists.Take(n, r.src.Size())
	}
}

// Whole returns the span of the whole model.
func (r *Reader) Whole() Span {
	if r.err != nil {
		return Span{}
	}
	return Span{End: r.src.Size()}
}

// Bytes returns all bytes of a span.
func (r *Reader) Bytes(span Span) []byte {
	if r.err != nil {
		return nil
	}
	b := make([]byte, span.Len())
	if n, err := r.src.ReadAt(b, span.Start); n < len(b) {
		r.Fail(fmt.Errorf("byte %d: %w", span.Start, err))
		return nil
	}
	return b
}

// Field is one field of a message.
type Field struct {
	Number protowire.Number
	Whole  Span // including the tag
	Body   Span // the value

	kind  protowire.Type
	value uint64 // set if the field is a varint or fixed
}

// longestTag is the maximum number of bytes in a field's tag and the number after it, which is the
// field's length or numeric value.
const longestTag = 20

// Fields iterates over the fields of the message at span, in order. Keep the iterator short enough
// for the compiler to inline it; otherwise each call would allocate an iterator.
func (r *Reader) Fields(span Span) iter.Seq[Field] {
	return func(yield func(Field) bool) { r.eachField(span, yield) }
}

func (r *Reader) eachField(span Span, yield func(Field) bool) {
	for offset := span.Start; offset < span.End && r.err == nil; {
		f := r.field(offset, span.End)
		if r.err != nil || !yield(f) {
			return
		}
		offset = f.Whole.End
	}
}

// field reads the field at offset in a message that ends at end.
func (r *Reader) field(offset, end int64) (f Field) {
	head := r.peek(offset, int(min(longestTag, end-offset)))
	number, kind, n := protowire.ConsumeTag(head)
	// protowire accepts larger numbers than protobuf's parsers, which would truncate them.
	if n < 0 || number > protowire.MaxValidNumber {
		r.wrong(offset, "no protobuf field starts here")
		return f
	}
	f.Number, f.kind = number, kind
	start := offset + int64(n)
	rest := head[n:]
	switch kind {
	case protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type:
		f.value, n = protofield.Number(kind, rest)
	case protowire.BytesType:
		var length uint64
		length, n = protowire.ConsumeVarint(rest)
		if left := end - start - int64(n); n >= 0 && (length > math.MaxInt64 || int64(length) > left) {
			r.wrong(offset, "truncated: field %d needs %d bytes, %d are left", number, length, left)
		}
		start += int64(n)
		n = min(n, 0) + int(length)
	default:
		r.wrong(offset, "a protobuf group, which ONNX does not use")
	}
	if n < 0 {
		r.wrong(offset, "field %d is truncated", number)
	}
	f.Body = Span{start, start + int64(n)}
	f.Whole = Span{offset, f.Body.End}
	return f
}

// wants reports whether the field has the wire type that onnx.proto requires. If not, it stops the
// reader with an error. name is the field's name in that error.
func (r *Reader) wants(f Field, kind protowire.Type, name string) bool {
	if f.kind != kind {
		r.wrong(f.Whole.Start, "%s has wire type %d, not %d", name, f.kind, kind)
	}
	return f.kind == kind
}

// maxText is the maximum length of a name in bytes. Documentation and attribute values may be
// longer.
const maxText = 1 << 20

func (r *Reader) text(f Field, what string) string {
	n := int(f.Body.Len())
	if !r.wants(f, protowire.BytesType, what) || n == 0 {
		return ""
	}
	if n > maxText {
		r.wrong(f.Whole.Start, "%s has %d bytes, over the limit of %d", what, n, maxText)
		return ""
	}
	r.charge(f.Whole.Start, 16) // the size of a short text
	if n > windowSize {
		r.charge(f.Whole.Start, n)
		return string(r.Bytes(f.Body))
	}
	b := r.peek(f.Body.Start, n)
	if len(b) < n {
		r.wrong(f.Body.Start+int64(len(b)), "the file ends here")
	}
	return string(b)
}

// integer reads an integer or enum field.
func (r *Reader) integer(f Field, what string) int64 {
	r.wants(f, protowire.VarintType, what)
	return int64(f.value)
}

// inside iterates over the fields of a message that is the value of f.
func (r *Reader) inside(f Field, what string) iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if r.wants(f, protowire.BytesType, what) {
			r.eachField(f.Body, yield)
		}
	}
}

// integers appends a repeated integer field to list, whether the field is packed or not.
func (r *Reader) integers(list []int64, f Field, what string) []int64 {
	for v := range r.eachInteger(f, what) {
		r.charge(f.Whole.Start, size[int64]())
		list = grow(list, v)
	}
	return list
}

// eachInteger iterates over the values of a repeated integer field, whether the field is packed or
// not.
func (r *Reader) eachInteger(f Field, what string) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if f.kind == protowire.VarintType {
			yield(int64(f.value))
			return
		}
		r.wants(f, protowire.BytesType, what)
		for offset := f.Body.Start; offset < f.Body.End && r.err == nil; {
			v, n := protowire.ConsumeVarint(r.peek(offset, int(min(10, f.Body.End-offset))))
			if n < 0 {
				r.wrong(offset, "%s is truncated", what)
				return
			}
			if !yield(int64(v)) {
				return
			}
			offset += int64(n)
		}
	}
}
